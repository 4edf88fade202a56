"use strict";
// Shared by all pages: their content, elements that contain only text, and formatted numbers.

const content = JSON.parse(document.getElementById("content").textContent);

const byId = (id) => document.getElementById(id);

/** Creates an element with attributes, listeners (`onclick: function`) and children, which are elements or text. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Creates an SVG element in the same way. */
function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Formatters with thousands separators for each number of decimals; they are slow to create. */
const fixed = [0, 1, 2, 3, 4].map(
  (decimals) => new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format,
);

/** Formats a number as in the terminal tables: integers with thousands separators, others to four digits. */
function number(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return fixed[0](value);
  return String(Number(value.toPrecision(4)));
}

/** Formats a duration in nanoseconds to three digits, in a suitable unit. */
function duration(nanoseconds) {
  if (nanoseconds === null || nanoseconds === undefined) return "–";
  const rounded = Number(nanoseconds.toPrecision(3));
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => rounded >= size || size === 1);
  return `${Number((rounded / size).toPrecision(3))} ${unit}`;
}

/** Formats a mean with its standard error, to two significant digits of the error. */
function plusMinus(mean, error, format = number) {
  if (format !== number || mean === null || !(error > 0)) return format(mean);
  const decimals = Math.min(Math.max(1 - Math.floor(Math.log10(error)), 0), 4);
  return `${fixed[decimals](mean)} ± ${fixed[decimals](error)}`;
}
