"use strict";
// What all pages share: their content, elements whose words are only ever text, and figures as people read them.

const content = JSON.parse(document.getElementById("content").textContent);

const byId = (id) => document.getElementById(id);

/** An element with attributes, listeners (`onclick: function`) and children, which are elements or text. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for a part of a drawing. */
function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Numbers with their thousands apart and so many decimals; formats are slow to make. */
const fixed = [0, 1, 2, 3, 4].map(
  (decimals) => new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format,
);

/** A number as tables print it: whole ones with their thousands apart, others to four digits. */
function number(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return fixed[0](value);
  return String(Number(value.toPrecision(4)));
}

/** A duration in nanoseconds to three digits, in the unit that fits it. */
function duration(nanoseconds) {
  if (nanoseconds === null || nanoseconds === undefined) return "–";
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => nanoseconds >= size || size === 1);
  return `${Number((nanoseconds / size).toPrecision(3))} ${unit}`;
}

/** A mean with its standard error, to the two digits of the error that mean something. */
function plusMinus(mean, error, write = number) {
  if (write !== number || mean === null || !(error > 0)) return write(mean);
  const decimals = Math.min(Math.max(1 - Math.floor(Math.log10(error)), 0), 4);
  return `${fixed[decimals](mean)} ± ${fixed[decimals](error)}`;
}
