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

// ---- Header: links to the visible sections ------------------------------------------------------------------------

document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll("main section[id]")].filter((one) => one.offsetParent !== null);
  const links = sections.flatMap((one) => {
    const text = one.dataset.name ?? one.querySelector("h2")?.textContent;
    return text ? [element("a", { href: `#${one.id}` }, text)] : [];
  });
  if (links.length > 1) byId("sections").append(...links);
});

// ---- The slider for a limit: logarithmic, above a strip with the best agent of each interval -----------------------

const STEPS = 1000;

/** Returns a scale of the slider from `low` to `high`; its last position is the limit `top`, which may be infinite. */
function limitScale(low, high, top) {
  const growth = Math.log(high / low);
  return {
    low,
    high,
    top,
    at(position) {
      if (position >= STEPS) return top;
      const value = low * Math.exp((growth * position) / (STEPS - 1));
      const unit = 10 ** Math.max(Math.floor(Math.log10(value)) - 2, 0);
      return Math.max(Math.floor(value / unit + 1e-9) * unit, low);
    },
    of(limit) {
      if (limit >= top || limit > high) return STEPS;
      return (Math.log(Math.max(limit, low) / low) / growth) * (STEPS - 1);
    },
  };
}

/** Draws the strip: `segments` have an interval from `min` to `max`, a `name`, a `colour` and whether they are `now`. */
function drawLimits(scale, segments, text, choose) {
  const share = (limit) => (100 * scale.of(limit)) / STEPS;
  byId("strip").replaceChildren(
    ...segments
      .filter(({ min }) => min <= scale.top)
      .map(({ min, max, name, colour, now }) => {
        const node = element("div", { class: now ? "segment now" : "segment", title: name, onclick: () => choose(min) }, name);
        node.style.left = `${share(min)}%`;
        node.style.width = `${share(max + 1) - share(min)}%`;
        node.style.background = colour;
        return node;
      }),
  );
  const tens = [];
  for (let power = Math.ceil(Math.log10(scale.low)); 10 ** power <= scale.high; power++) tens.push(10 ** power);
  const room = byId("strip").clientWidth < 520 ? 80 : 92;
  const marks = tens.filter((limit) => share(limit) < room).map((limit) => [share(limit), text(limit)]);
  byId("scale").replaceChildren(
    ...[...marks, [100, text(scale.top)]].map(([left, words]) => {
      const node = element("span", {}, words);
      node.style.left = `${left}%`;
      if (left > 97) node.style.transform = "translateX(-100%)";
      return node;
    }),
  );
}
