// The page of a run. This script computes only what depends on the selected limit, view and axes, from the values and
// worst moves of every agent in each view.

const { agents, families, measures, limits, views } = content;
const measure = Object.fromEntries(measures.map((one) => [one.key, one]));
const format = { number, states: number, time: duration };

const state = {
  view: views[0],
  by: limits[0], // the limited quantity
  limit: Infinity, // its maximum for a single move
  y: measures[0].key,
  x: measures[1].key,
  hidden: new Set(), // families
  cursor: null, // the agent under the pointer
  sort: null, // a column of the table and a direction; by default, qualifying agents are first
};

// ---- Verdicts and guide -------------------------------------------------------------------------------------------

/** Returns the value of one agent in a column, which is a single value if all agents have the same. */
const at = (column, agent) => (Array.isArray(column) ? column[agent] : column) ?? null;
const valueOf = (view, key, agent) => at(view.values[key], agent);
const errorOf = (view, key, agent) => (key in view.errors ? at(view.errors[key], agent) : null);
const worst = (view, agent) => valueOf(view, state.by.key, agent);
const allAgents = agents.map((_, agent) => agent);

const VERDICTS = {
  in: "qualifies",
  over: "over the limit",
  stopped: "stopped by the run's own limit",
  missing: "not run on every problem",
  unsolved: "did not solve every problem",
};

/** Returns whether an agent qualifies under the limit, and if not why: one move over it disqualifies. */
function verdict(view, agent, limit = state.limit) {
  if (at(view.over, agent) > 0) return "stopped";
  if (at(view.tried, agent) < view.problems) return "missing";
  if (worst(view, agent) > limit) return "over";
  return at(view.complete, agent) < view.problems || worst(view, agent) === null ? "unsolved" : "in";
}

/** Returns the agents that are best under some limit, each with its interval of limits. */
function guide(view) {
  const qualifying = allAgents.filter((agent) => verdict(view, agent, Infinity) === "in" && valueOf(view, state.y, agent) !== null);
  const order = (one, other) =>
    worst(view, one) - worst(view, other) || valueOf(view, state.y, one) - valueOf(view, state.y, other) || one - other;
  const chosen = [];
  let lowest = Infinity;
  for (const agent of qualifying.sort(order)) {
    if (valueOf(view, state.y, agent) < lowest) chosen.push(agent);
    lowest = Math.min(lowest, valueOf(view, state.y, agent));
  }
  return chosen.map((agent, rank) => ({
    agent,
    min: worst(view, agent),
    max: rank + 1 < chosen.length ? worst(view, chosen[rank + 1]) - 1 : Infinity,
  }));
}

/** Returns the best agent under the limit and the number of qualifying agents; ties go to the lower worst move. */
function bestUnderLimit(view) {
  let [best, qualifying] = [null, 0];
  for (const agent of allAgents) {
    if (verdict(view, agent) !== "in") continue;
    qualifying++;
    const value = valueOf(view, state.y, agent);
    if (value === null) continue;
    const lowest = best === null ? Infinity : valueOf(view, state.y, best);
    if (value < lowest || (value === lowest && worst(view, agent) < worst(view, best))) best = agent;
  }
  return { best, qualifying };
}

/** Returns the interval of a guide that contains the limit; null if no agent qualifies. */
const currentInterval = (intervals) => intervals.findLast((interval) => interval.min <= state.limit) ?? null;

/** Returns whether one agent is no worse than another on both axes, and better on one. */
function dominates(view, one, other) {
  const [xs, ys] = [view.values[state.x], view.values[state.y]];
  const [x, otherX] = [at(xs, one), at(xs, other)];
  if (x > otherX) return false;
  const [y, otherY] = [at(ys, one), at(ys, other)];
  return y <= otherY && (x < otherX || y < otherY);
}

/** Returns the undominated ones among some agents, sorted along the horizontal axis. */
function front(view, some) {
  const left = some.filter((agent) => !some.some((other) => dominates(view, other, agent)));
  return left.sort((one, other) => valueOf(view, state.x, one) - valueOf(view, state.x, other));
}

const isPlaced = (view, agent) => valueOf(view, state.x, agent) !== null && valueOf(view, state.y, agent) !== null;

// ---- Formatting ---------------------------------------------------------------------------------------------------

/** Returns which problems of a view the values are over; the rule is that of the complete run. */
const coverage = (view) =>
  view.kind === "run" ? content.note : `Values are over ${number(Math.max(...allAgents.map((agent) => at(view.counted, agent))))} of them.`;
// A mean is marked if a tenth of the problems contributes more than half of its excess over 1.
const isMarked = (view, key, agent) => key === "suboptimality" && at(view.marked, agent) === true;
const shown = (view, key, agent) =>
  plusMinus(valueOf(view, key, agent), errorOf(view, key, agent), format[measure[key].unit]) + (isMarked(view, key, agent) ? "†" : "");
const limitText = (limit) => (limit === Infinity ? "no limit" : format[state.by.unit](limit));
const viewName = (view) =>
  ({ run: "all problems", set: view.view, map: view.view, bucket: `bucket ${view.view}` })[view.kind];
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

// The name of the limited quantity contains the unit, so a limit on states is a plain number.
function parseLimit(text) {
  const words = text.trim().toLowerCase();
  if (["", "∞", "inf", "none", "no limit"].includes(words)) return Infinity;
  const match = words.match(/^([\d.,]+)\s*(ns|us|µs|ms|s)?$/);
  const value = match === null ? NaN : Number(match[1].replaceAll(",", ""));
  if (state.by.unit === "time") return value * ({ ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 }[match?.[2]] ?? NaN);
  return match?.[2] ? NaN : value;
}

// ---- Families: a colour and a shape each ---------------------------------------------------------------------------

const COLOURS = 8;
const SHAPES = [
  "M5.2 0A5.2 5.2 0 1 1-5.2 0A5.2 5.2 0 1 1 5.2 0Z",
  "M-4.6-4.6H4.6V4.6H-4.6Z",
  "M0-6L5.8 4.4H-5.8Z",
  "M0-6.4L6.4 0L0 6.4L-6.4 0Z",
  "M-1.9-5.8H1.9V-1.9H5.8V1.9H1.9V5.8H-1.9V1.9H-5.8V-1.9H-1.9Z",
  "M0 6L5.8-4.4H-5.8Z",
  "M6-0L-4.4 5.8V-5.8Z",
  "M-5.2-2.6L0-6L5.2-2.6V2.6L0 6L-5.2 2.6Z",
];
const colour = (family) => `var(--family-${family % COLOURS})`;
const shape = (family) => SHAPES[(family + Math.floor(family / COLOURS)) % SHAPES.length];
const swatch = (family) =>
  drawn("svg", { class: "swatch", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, drawn("path", { d: shape(family), fill: colour(family) }));
const named = (agent) => [swatch(agents[agent].family), agents[agent].name];

// ---- Limit: a logarithmic slider, with the guide below it ----------------------------------------------------------

let range = limitScale(1, 10, Infinity);

function setRange() {
  let [low, high] = [Infinity, 1];
  for (const view of views) {
    for (const value of allAgents.map((agent) => worst(view, agent))) {
      if (value === null) continue;
      low = Math.min(low, Math.max(value, 1));
      high = Math.max(high, value);
    }
  }
  if (low === Infinity) low = 1;
  // Nothing is known beyond the run's own limit.
  high = Math.max(Math.min(high, state.by.max ?? Infinity), low * 1.01);
  range = limitScale(low, high, state.by.max ?? Infinity);
}

function drawStrip(intervals) {
  const now = currentInterval(intervals);
  const segments = intervals.map((interval) => {
    const { family, name } = agents[interval.agent];
    return { min: interval.min, max: interval.max, name, colour: colour(family), now: interval === now };
  });
  drawLimits(range, segments, limitText, setLimit);
}

// ---- Plot ------------------------------------------------------------------------------------------------------

const MARGIN = { left: 62, right: 18, top: 14, bottom: 46 };
let plot = null; // the layout, valid until view, axes or size change

/** Returns a logarithmic scale over some values; zero is placed slightly below the smallest positive value. */
function scaleOver(values, from, to) {
  const positive = values.filter((value) => value > 0);
  let low = Math.min(...positive, Infinity);
  let high = Math.max(...positive, 0);
  if (low > high) [low, high] = [1, 10];
  if (positive.length < values.length) low /= 2;
  const pad = Math.max((high / low) ** 0.05, 1.02);
  const zero = low;
  [low, high] = [low / pad, high * pad];
  const place = (value) => from + ((to - from) * Math.log(Math.max(value, zero) / low)) / Math.log(high / low);
  return { low, high, place, inside: (value) => value >= low && value <= high, ticks: ticks(low, high) };
}

function ticks(low, high) {
  const found = [];
  if (high / low > 6) {
    const steps = high / low > 2e4 ? [1] : high / low > 300 ? [1, 3] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) found.push(...steps.map((step) => step * 10 ** power));
  } else {
    const rough = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
    for (let tick = Math.ceil(low / step); tick * step <= high; tick++) found.push(Number((tick * step).toPrecision(12)));
  }
  return found.filter((tick) => tick >= low && tick <= high);
}

function layOutPlot() {
  const svg = byId("scatter");
  const { width, height } = svg.getBoundingClientRect();
  const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
  const placed = allAgents.filter((agent) => isPlaced(state.view, agent));
  const x = scaleOver(placed.map((agent) => valueOf(state.view, state.x, agent)), MARGIN.left, right);
  const y = scaleOver(placed.map((agent) => valueOf(state.view, state.y, agent)), bottom, MARGIN.top);
  const places = new Map(
    placed.map((agent) => [agent, [x.place(valueOf(state.view, state.x, agent)), y.place(valueOf(state.view, state.y, agent))]]),
  );
  const points = new Map(
    [...places].map(([agent, [left, top]]) => {
      const { family, name } = agents[agent];
      const attributes = { d: shape(family), transform: `translate(${left} ${top})`, "data-agent": agent, "aria-label": name };
      return [agent, drawn("path", attributes)];
    }),
  );
  const layers = Object.fromEntries(
    ["under", "out", "in", "over", "cursor"].map((name) => [name, drawn("g", { class: `layer-${name}` })]),
  );
  const formatX = format[measure[state.x].unit];
  const formatY = format[measure[state.y].unit];
  svg.replaceChildren(
    ...x.ticks.map((tick) => drawn("line", { class: "grid", x1: x.place(tick), x2: x.place(tick), y1: MARGIN.top, y2: bottom })),
    ...y.ticks.map((tick) => drawn("line", { class: "grid", y1: y.place(tick), y2: y.place(tick), x1: MARGIN.left, x2: right })),
    ...spaced(x.ticks, x.place, width < 520 ? 60 : 44).map((tick) =>
      drawn("text", { x: x.place(tick), y: bottom + 17, "text-anchor": "middle" }, formatX(tick)),
    ),
    ...spaced(y.ticks, y.place, 16).map((tick) => drawn("text", { x: MARGIN.left - 7, y: y.place(tick) + 4, "text-anchor": "end" }, formatY(tick))),
    drawn("text", { class: "axis", x: (MARGIN.left + right) / 2, y: height - 8, "text-anchor": "middle" }, measure[state.x].title),
    drawn("text", { class: "axis", transform: `translate(14 ${(MARGIN.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, measure[state.y].title),
    ...Object.values(layers),
  );
  plot = { x, y, places, points, layers, right, bottom, width, height };
}

/** Filters sorted values by a minimum distance to the previous one. */
function spaced(values, place, gap) {
  let last = null;
  return values.filter((value) => {
    const near = last !== null && Math.abs(place(value) - last) < gap;
    if (!near) last = place(value);
    return !near;
  });
}

function drawPlot(best) {
  const { places, points, layers, right, bottom } = plot;
  const visible = [...places.keys()].filter((agent) => !state.hidden.has(agents[agent].family));
  const qualifying = visible.filter((agent) => verdict(state.view, agent) === "in");
  for (const layer of [layers.under, layers.over, layers.in, layers.out]) layer.replaceChildren();
  for (const agent of visible) {
    const isOut = verdict(state.view, agent) !== "in";
    const point = points.get(agent);
    point.setAttribute("class", isOut ? "point out" : "point");
    if (isOut) point.removeAttribute("fill");
    else point.setAttribute("fill", colour(agents[agent].family));
    layers[isOut ? "out" : "in"].append(point);
  }
  const along = front(state.view, qualifying);
  if (along.length > 0) {
    const [first, ...rest] = along.map((agent) => places.get(agent));
    const path = `M${first[0]} ${MARGIN.top}V${first[1]}${rest.map(([left, top]) => `H${left}V${top}`).join("")}H${right}`;
    layers.under.append(drawn("path", { class: "front", d: path }));
  }
  if (measure[state.x].unit === state.by.unit && plot.x.inside(state.limit)) {
    const left = plot.x.place(state.limit);
    const onRight = left > (MARGIN.left + right) / 2;
    layers.under.append(
      drawn("line", { class: "line", x1: left, x2: left, y1: MARGIN.top, y2: bottom }),
      drawn("text", { class: "limit-name", x: left + (onRight ? -6 : 6), y: MARGIN.top + 10, "text-anchor": onRight ? "end" : "start" }, "the limit"),
    );
  }
  if (best !== null && places.has(best)) {
    const [left, top] = places.get(best);
    layers.over.append(drawn("circle", { class: "ring", cx: left, cy: top, r: 10 }));
  }
  layers.over.append(...namesOf(along, best));
}

const MAX_NAMES = 16;

/** Returns the names of agents along the front that fit into the plot; the best agent has priority. */
function namesOf(along, best) {
  const taken = [...plot.places.values()].map(([left, top]) => [left - 5, top - 5, left + 5, top + 5]);
  const found = [];
  const step = Math.ceil(along.length / MAX_NAMES);
  const some = along.filter((agent, rank) => agent === best || rank % step === 0);
  for (const agent of some.sort((one, other) => (other === best) - (one === best))) {
    const [left, top] = plot.places.get(agent);
    const { name } = agents[agent];
    const size = agent === best ? 13 : 11.5;
    const width = name.length * size * 0.56;
    const offset = agent === best ? 14 : 9;
    const spots = [[offset, -offset / 2], [offset, 13], [-offset, -offset / 2], [-offset, 13]].map(([dx, dy]) => ({
      x: left + dx,
      y: top + dy,
      anchor: dx > 0 ? "start" : "end",
      box: [dx > 0 ? left + dx : left + dx - width, top + dy - size, dx > 0 ? left + dx + width : left + dx, top + dy + 2],
    }));
    const isFree = ({ box }) =>
      box[0] > MARGIN.left && box[2] < plot.right + MARGIN.right && box[1] > 0 && box[3] < plot.bottom &&
      !taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
    const spot = spots.find(isFree) ?? (agent === best ? spots[left > (MARGIN.left + plot.right) / 2 ? 2 : 0] : null);
    if (spot === null) continue;
    taken.push(spot.box);
    const attributes = { class: agent === best ? "name best" : "name", x: spot.x, y: spot.y, "text-anchor": spot.anchor };
    found.push(drawn("text", attributes, name));
  }
  return found;
}

function drawCursor() {
  const tip = byId("tip");
  const agent = state.cursor;
  plot.layers.cursor.replaceChildren();
  tip.hidden = agent === null || !plot.places.has(agent) || state.hidden.has(agents[agent].family);
  if (tip.hidden) return;
  const [left, top] = plot.places.get(agent);
  if (measure[state.x].unit === state.by.unit && worst(state.view, agent) !== null) {
    // From the mean to the worst move, to which the limit applies.
    const end = Math.min(plot.x.place(worst(state.view, agent)), plot.right + MARGIN.right);
    plot.layers.cursor.append(
      drawn("line", { class: "whisker", x1: left, x2: end, y1: top, y2: top }),
      drawn("line", { class: "whisker", x1: end, x2: end, y1: top - 5, y2: top + 5 }),
    );
  }
  plot.layers.cursor.append(drawn("circle", { class: "cursor", cx: left, cy: top, r: 9 }));
  const why = verdict(state.view, agent);
  tip.replaceChildren(
    element("strong", {}, ...named(agent)),
    element("div", { class: "soft" }, `${VERDICTS[why]}${why === "over" ? ` of ${limitText(state.limit)}` : ""}`),
    element("dl", {}, ...measures.flatMap(({ key, title }) => [element("dt", {}, title), element("dd", {}, shown(state.view, key, agent))])),
    element("code", {}, agents[agent].spec),
    ...(content.worst && state.view.kind === "run" ? [element("div", { class: "soft" }, `Worst move on ${content.worst[agent]}`)] : []),
  );
  const frame = byId("frame").getBoundingClientRect();
  const box = tip.getBoundingClientRect();
  tip.style.left = `${left + 16 + box.width > frame.width ? Math.max(left - 16 - box.width, 0) : left + 16}px`;
  tip.style.top = `${Math.max(Math.min(top - 20, frame.height - box.height), 0)}px`;
}

function setCursor(agent) {
  if (agent === state.cursor) return;
  state.cursor = agent;
  drawCursor();
}

function nearest(event) {
  const frame = byId("scatter").getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  let found = null;
  let closest = 26;
  for (const [agent, [left, top]] of plot.places) {
    const distance = Math.hypot(left - x, top - y);
    if (distance < closest && !state.hidden.has(agents[agent].family)) [found, closest] = [agent, distance];
  }
  return found;
}

function selectPoint(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") setCursor(null);
  if (step === undefined) return;
  event.preventDefault();
  const along = [...plot.places.keys()].filter((agent) => !state.hidden.has(agents[agent].family));
  along.sort((one, other) => plot.places.get(one)[0] - plot.places.get(other)[0] || one - other);
  const from = along.indexOf(state.cursor);
  setCursor(along[from === -1 ? 0 : Math.min(Math.max(from + step, 0), along.length - 1)] ?? null);
}

function drawLegend() {
  byId("legend").replaceChildren(
    ...families.map((name, family) =>
      element(
        "button",
        {
          type: "button",
          "aria-pressed": String(!state.hidden.has(family)),
          onclick: () => {
            if (!state.hidden.delete(family)) state.hidden.add(family);
            byId("legend").children[family].setAttribute("aria-pressed", String(!state.hidden.has(family)));
            update();
          },
        },
        swatch(family),
        name,
      ),
    ),
  );
}

// ---- Tables ----------------------------------------------------------------------------------------------------

function fill(section, headers, rows) {
  const table = byId(section).querySelector("table");
  if (headers !== null) table.tHead.replaceChildren(element("tr", {}, ...headers));
  table.tBodies[0].replaceChildren(...rows);
}

const header = (text, isNumeric = false) => element("th", { scope: "col", class: isNumeric ? "number" : null }, text);
const cell = (...children) => element("td", {}, ...children);
const numberCell = (text) => element("td", { class: "number" }, text);
const rowHeader = (...children) => element("th", { scope: "row" }, ...children);
const press = (words, onclick) => element("button", { type: "button", class: "bare", onclick }, ...words);

function intervalText({ min, max }) {
  if (max === Infinity) return `${limitText(min)} and up`;
  return min === max ? limitText(min) : `${limitText(min)} to ${limitText(max)}`;
}

/** Returns the agents that are statistically tied with an interval's agent; known only for the whole run. */
function tiedAgents({ agent }) {
  if (state.view.kind !== "run" || state.y !== "suboptimality") return [];
  return content.guides[state.by.key]?.find((interval) => interval.agent === agent)?.tied ?? [];
}

const MAX_TIED = 3;

function tiedNote(names) {
  if (names.length === 0) return null;
  const more = names.length > MAX_TIED ? ` and ${number(names.length - MAX_TIED)} more` : "";
  const text = `statistically tied with ${names.slice(0, MAX_TIED).join(", ")}${more}`;
  return element("div", { class: "tied", title: names.join(", ") }, text);
}

const machines = () => [...new Set(content.manifest.starts.map(({ machine }) => `${machine.host} (${machine.cpu})`))].join(" and ");

function drawGuide(intervals) {
  const now = currentInterval(intervals);
  const within = intervals.filter(({ min }) => min <= range.top);
  byId("guide-about").textContent =
    within.length === 0
      ? "No agent solved all of these problems, so none can be recommended."
      : `For every limit on ${state.by.limit}, the agent with the lowest ${measure[state.y].title} among those that never exceed it, on ${viewName(state.view)}.${state.by.unit === "time" ? ` Times were measured on ${machines()}.` : ""}`;
  fill(
    "guide",
    [header("limit"), header("agent"), header(measure[state.y].title, true)],
    within.map((interval) =>
      element(
        "tr",
        { class: interval === now ? "now" : null },
        cell(press([intervalText(interval)], () => setLimit(interval.min))),
        rowHeader(
          ...named(interval.agent),
          tiedNote(tiedAgents(interval).map((other) => agents[other].name)),
        ),
        numberCell(shown(state.view, state.y, interval.agent)),
      ),
    ),
  );
}

function drawAgents(best) {
  const words = byId("filter").value.toLowerCase().split(/\s+/);
  const matches = ({ name, spec }) => words.every((word) => `${name} ${spec}`.toLowerCase().includes(word));
  const qualifying = allAgents.filter((agent) => verdict(state.view, agent) === "in" && isPlaced(state.view, agent));
  const facts = new Map(
    allAgents.map((agent) => [agent, { verdict: verdict(state.view, agent), over: qualifying.filter((other) => dominates(state.view, other, agent)) }]),
  );
  const last = (value) => (value === null ? Infinity : value);
  const value = (key, agent) =>
    key === "agent" ? agents[agent].name : key === "dominated" ? facts.get(agent).over.length : last(valueOf(state.view, key, agent));
  const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  const sorted = allAgents.filter((agent) => matches(agents[agent])).sort((one, other) => {
    if (state.sort !== null) return state.sort.sign * compare(value(state.sort.key, one), value(state.sort.key, other)) || one - other;
    const outs = (facts.get(one).verdict !== "in") - (facts.get(other).verdict !== "in");
    return outs || compare(value(state.y, one), value(state.y, other)) || one - other;
  });
  const column = (key, text, isNumeric) => {
    const node = header("", isNumeric);
    node.append(press([text], () => {
      const again = state.sort?.key === key;
      state.sort = again && state.sort.sign === -1 ? null : { key, sign: again ? -1 : 1 };
      update();
      byId("agents").querySelector(`[data-key="${key}"] button`).focus();
    }));
    node.dataset.key = key;
    if (state.sort?.key === key) node.setAttribute("aria-sort", state.sort.sign === 1 ? "ascending" : "descending");
    return node;
  };
  byId("agents-about").textContent =
    `On ${viewName(state.view)}: ${counted(state.view.problems, "problem")}${state.view.problems === 1 ? ", too few for a standard error" : ""}. ${coverage(state.view)}` +
    (allAgents.some((agent) => isMarked(state.view, "suboptimality", agent)) ? ` ${content.mark}` : "");
  fill(
    "agents",
    [column("agent", "agent"), header("verdict"), ...measures.map(({ key, title }) => column(key, title, true)), column("dominated", "dominated by", true)],
    sorted.map((agent) => {
      const { verdict: why, over } = facts.get(agent);
      return element(
        "tr",
        { class: agent === best ? "now" : why === "in" ? null : "out", "data-agent": agent, onmouseenter: () => setCursor(agent), onmouseleave: () => setCursor(null) },
        rowHeader(...named(agent)),
        cell(agent === best ? "best" : VERDICTS[why]),
        ...measures.map(({ key }) => numberCell(shown(state.view, key, agent))),
        element("td", { class: "number", title: over.map((other) => agents[other].name).join(", ") }, why === "in" && isPlaced(state.view, agent) ? number(over.length) : "–"),
      );
    }),
  );
}

const KINDS = { run: "whole run", set: "sets", map: "maps", bucket: "buckets by optimal cost" };

function drawPlaces() {
  if (views.length === 1) return;
  const rows = views.flatMap((view, index) => {
    const { best, qualifying } = bestUnderLimit(view);
    const name = view.kind === "bucket" ? `${viewName(view)}: ${number(view.min)} to ${number(view.max)}` : viewName(view);
    const row = element(
      "tr",
      { class: view === state.view ? "now" : null },
      rowHeader(press([name], () => setView(view))),
      numberCell(number(view.problems)),
      best === null ? element("td", { class: "soft" }, "no agent qualifies") : cell(...named(best)),
      numberCell(best === null ? "–" : shown(view, state.y, best)),
      numberCell(`${qualifying} of ${agents.length}`),
    );
    const isFirst = index === 0 || views[index - 1].kind !== view.kind;
    return isFirst ? [element("tr", { class: "kind" }, element("th", { scope: "rowgroup", colspan: 5 }, KINDS[view.kind])), row] : [row];
  });
  const headers = [header("part"), header("problems", true), header("best agent"), header(measure[state.y].title, true), header("qualify", true)];
  fill("places", headers, rows);
}

function drawAnswer(best) {
  const view = state.view;
  const count = (why) => allAgents.filter((agent) => verdict(view, agent) === why).length;
  const reasons = [
    [count("over"), "over it"],
    [count("stopped"), "stopped by the run's own limit"],
    [count("missing"), "not run on every problem"],
    [count("unsolved"), "with unsolved problems"],
  ].filter(([agents]) => agents > 0);
  const rest = reasons.map(([agents, text]) => `${number(agents)} ${text}`).join(", ");
  const tally = `${number(count("in"))} of ${counted(agents.length, "agent")} ${count("in") === 1 ? "qualifies" : "qualify"}${rest ? `; ${rest}` : ""}.`;
  const lowest = Math.min(...guide(view).map((interval) => interval.min));
  const [words, ...more] =
    best === null
      ? count("in") > 0
        ? ["No agent can be recommended. ", content.note]
        : ["No agent qualifies. ", lowest < Infinity ? `The lowest limit that any agent keeps is ${limitText(lowest)}.` : "No agent solved every problem."]
      : [element("strong", {}, ...named(best)), state.y === "suboptimality" ? ` finds ${valueOf(view, state.y, best) === 1 ? "optimal paths" : `the shortest paths: ${shown(view, state.y, best)} times the optimum`}.` : ` has the lowest ${measure[state.y].title}: ${shown(view, state.y, best)}.`];
  byId("answer").replaceChildren(words, ...more, element("small", {}, tally));
}

function drawDominance() {
  const [y, x] = measures;
  const [whole] = views;
  const columns = [header("agent"), header(y.title, true), header(x.title, true), header("on the front", true), header("dominated by")];
  const rows = content.front.map(({ agent, by, share }) =>
    element(
      "tr",
      { class: by === null ? null : "out" },
      rowHeader(...named(agent)),
      numberCell(shown(whole, y.key, agent)),
      numberCell(shown(whole, x.key, agent)),
      numberCell(share === null ? "–" : percent(share)),
      cell(by ?? "no agent"),
    ),
  );
  byId("dominance").querySelector(".content").append(
    element(
      "p",
      { class: "soft" },
      `An agent dominates another if it is no worse in both ${y.title} and ${x.title}, and better in at least one. Values are those of all problems, without a limit; “on the front” is the share of bootstrap resamples of the problems in which no agent dominates it.`,
    ),
    rows.length === 0
      ? element("p", {}, "No agent solved every problem, so agents cannot be compared.")
      : element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...columns)), element("tbody", {}, ...rows))),
    ...(content.contests.length > 0 ? matrix() : []),
  );
}

/** Returns the matrix of pairs of agents, problem by problem. */
function matrix() {
  const contestants = [...new Set(content.contests.flatMap(({ one, other }) => [one, other]))];
  const shares = new Map();
  for (const { one, other, problems, won, lost } of content.contests) {
    shares.set(`${one} ${other}`, won / problems).set(`${other} ${one}`, lost / problems);
  }
  const contest = (agent, other) => {
    const share = shares.get(`${agent} ${other}`);
    const node = numberCell(share >= 0 ? percent(share) : "");
    if (share > 0) node.style.setProperty("--share", `${Math.round(70 * share)}%`);
    return node;
  };
  const heads = contestants.map((agent) => element("th", { scope: "col", class: "number" }, ...named(agent)));
  const rows = contestants.map((agent) => element("tr", {}, rowHeader(...named(agent)), ...contestants.map((other) => contest(agent, other))));
  return [
    element("p", { class: "soft lead" }, "Problem by problem, for agents that no agent dominates on average: the share of problems, among those that both solved, on which the agent of the row dominates the agent of the column."),
    element("div", { class: "scroll" }, element("table", { class: "matrix" }, element("thead", {}, element("tr", {}, header(""), ...heads)), element("tbody", {}, ...rows))),
  ];
}

function drawOutcomes() {
  const [whole] = views;
  const outcomes = allAgents.flatMap((agent) => {
    const { over, why, unsolved } = content.outcomes[agent];
    const missing = whole.problems - at(whole.tried, agent);
    return [
      ...(missing > 0 ? [[agent, `${counted(missing, "problem")} not run`]] : []),
      ...(over > 0 ? [[agent, `over the run's own limit on ${counted(over, "problem")}; worst: ${why}`]] : []),
      ...(unsolved && over === 0 ? [[agent, `not solved: ${unsolved}`]] : []),
    ];
  });
  byId("outcomes").querySelector(".content").append(
    outcomes.length === 0
      ? element("p", { class: "soft" }, "Every agent was run on every problem and solved it.")
      : element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...outcomes.map(([agent, outcome]) => element("tr", {}, rowHeader(...named(agent)), cell(outcome)))))),
  );
}

function drawManifest() {
  const { suite, settings, starts, permove } = content.manifest;
  const { machine, revision, versions } = starts.at(-1);
  const facts = {
    suite: `${suite.name}, fingerprint ${suite.fingerprint}, ${Object.entries(suite.rules).map(([rule, name]) => `${rule} ${name}`).join(", ")}`,
    settings: Object.entries(settings).filter(([, value]) => value !== null).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", "),
    permove: `${permove}, revision ${revision}, ${Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(", ")}`,
    machine: `${machine.host}: ${machine.cpu}, ${counted(machine.cores, "core")}, ${number(machine.memory_bytes / 2 ** 30)} GiB, ${machine.system}`,
    [starts.length === 1 ? "started" : "started and resumed"]: starts.map(({ at, jobs }) => `${at} on ${counted(jobs, "thread")}`).join("; "),
  };
  byId("manifest").querySelector(".content").append(
    element("dl", { class: "facts" }, ...Object.entries(facts).flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])),
    element("details", {}, element("summary", {}, "Complete manifest"), element("pre", {}, JSON.stringify(content.manifest, null, 2))),
  );
}

// ---- Events --------------------------------------------------------------------------------------------------------

/** Updates everything that depends on the limit; positions in the plot do not. */
function update() {
  const intervals = guide(state.view);
  const { best } = bestUnderLimit(state.view);
  byId("slider").value = range.of(state.limit);
  byId("slider").setAttribute("aria-valuetext", limitText(state.limit));
  if (document.activeElement !== byId("limit")) byId("limit").value = limitText(state.limit);
  byId("limit").setAttribute("aria-invalid", "false");
  drawAnswer(best);
  drawStrip(intervals);
  drawPlot(best);
  drawCursor();
  drawGuide(intervals);
  drawAgents(best);
  drawPlaces();
}

function setLimit(limit) {
  state.limit = limit;
  update();
}

function setView(view) {
  state.view = view;
  byId("view").value = String(views.indexOf(view));
  layOutPlot();
  update();
}

function setBy(by) {
  state.by = by;
  const planning = { expanded_max: "expanded_per_move" }[by.key] ?? "time_per_move_ns";
  if (planning in measure) state.x = planning;
  byId("x").value = state.x;
  setRange();
  const intervals = guide(state.view);
  state.limit = by.max ?? intervals[Math.floor(intervals.length / 2)]?.min ?? Infinity;
  layOutPlot();
  update();
}

function options(select, named) {
  byId(select).append(...named.map(([value, text]) => element("option", { value }, text)));
}

function start() {
  const [whole] = views;
  document.title = `${content.title} – permove`;
  byId("title").textContent = content.title;
  byId("about").textContent = `${counted(agents.length, "agent")} on ${counted(whole.problems, "problem")}, optimal costs ${number(whole.min)} to ${number(whole.max)}`;
  options("by", limits.map(({ key, limit }) => [key, limit]));
  for (const axis of ["x", "y"]) {
    options(axis, measures.map(({ key, title }) => [key, title]));
    byId(axis).value = state[axis];
    byId(axis).addEventListener("change", () => {
      state[axis] = byId(axis).value;
      layOutPlot();
      update();
    });
  }
  for (const [kind, title] of Object.entries(KINDS)) {
    const group = element("optgroup", { label: title });
    group.append(...views.flatMap((view, index) => (view.kind === kind ? [element("option", { value: index }, viewName(view))] : [])));
    if (group.childElementCount > 0) byId("view").append(...(kind === "run" ? group.children : [group]));
  }
  byId("view").addEventListener("change", () => setView(views[Number(byId("view").value)]));
  byId("by").addEventListener("change", () => setBy(limits.find(({ key }) => key === byId("by").value)));
  byId("slider").addEventListener("input", () => setLimit(range.at(Number(byId("slider").value))));
  byId("limit").addEventListener("change", () => {
    const limit = parseLimit(byId("limit").value);
    if (limit > 0) setLimit(Math.min(limit, range.top));
    byId("limit").setAttribute("aria-invalid", String(!(limit > 0)));
  });
  byId("limit").addEventListener("blur", update);
  byId("filter").addEventListener("input", update);
  byId("scatter").addEventListener("pointermove", (event) => setCursor(nearest(event)));
  byId("scatter").addEventListener("pointerleave", () => setCursor(null));
  byId("scatter").addEventListener("keydown", selectPoint);
  byId("scatter").addEventListener("blur", () => setCursor(null));
  byId("places").hidden = views.length === 1;
  drawLegend();
  drawDominance();
  drawOutcomes();
  drawManifest();
  setBy(limits[0]);
  new ResizeObserver(() => {
    const { width, height } = byId("scatter").getBoundingClientRect();
    if (width === plot.width && height === plot.height) return;
    layOutPlot();
    update();
  }).observe(byId("frame"));
  performance.mark("usable");
}

start();
