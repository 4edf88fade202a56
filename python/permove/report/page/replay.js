// Plays traces: one map per agent, all at the same move.
//
// A frame is a move: its planning, the step, and the cells seen from there. Frame 0 is the start. Every frame is a list of
// changes to cells that can be applied and undone, so going to another frame applies only the changes between the two and
// repaints only the changed cells.

const { width, height, parts, removed } = content;
const cells = width * height;
/** Number of the last moves that are drawn as a line. */
const TRAIL = 160;
/** Minimum height of the close-up, in cells. */
const CLOSE = 25;
/** Maximum distance between frames for which only changed cells are repainted. */
const NEAR = 64;

/** Inflates base64 text to bytes. */
async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decodes the integers of `packed` in replay_page.py; with `summed`, they are differences between neighbours. */
async function numbers(text, summed = false) {
  const bytes = await inflated(text);
  let count = 0;
  for (const byte of bytes) count += byte < 0x80;
  const found = new Int32Array(count);
  let [at, sum] = [0, 0];
  for (let number = 0; number < count; number++) {
    let [value, unit] = [0, 1];
    for (; bytes[at] >= 0x80; at++, unit *= 128) value += (bytes[at] - 0x80) * unit;
    value += bytes[at++] * unit;
    const signed = value % 2 ? -(value + 1) / 2 : value / 2;
    sum = summed ? sum + signed : signed;
    found[number] = sum;
  }
  return found;
}

const mixed = (from, to, share) => from.map((part, i) => part + (to[i] - part) * share);

const TERRAIN = {
  ".": [226, 221, 203], G: [226, 221, 203], S: [176, 186, 150], T: [62, 99, 66], W: [88, 134, 178],
  "@": [44, 44, 52], O: [44, 44, 52],
};
const NAMES = { ".": "ground", G: "ground", S: "swamp", T: "trees", W: "water", "@": "blocked", O: "blocked" };
const FREE = new Set(".GS");
const FOG = [84, 91, 106], NOW = [25, 211, 243], BEFORE = [122, 178, 156], PATH = [43, 87, 240], REMOVED = [70, 10, 60];
const HEAT = ramp([[255, 224, 138], [255, 157, 60], [224, 54, 44], [125, 21, 103]], 256);

/** Interpolates between colours in `count` steps. */
function ramp(stops, count) {
  return Array.from({ length: count }, (_, i) => {
    const place = (i / (count - 1)) * (stops.length - 1);
    const stop = Math.min(Math.floor(place), stops.length - 2);
    return mixed(stops[stop], stops[stop + 1], place - stop);
  });
}

/** Visible layers. */
const layers = Object.fromEntries(["unknown", "now", "before", "heat", "path"].map((name) => [name, true]));

/** Radius of the sensor; null if it is "cross" or sees all. */
const square = /^square\((\d+)\)$/.exec(content.sensor);
const radius = square ? Number(square[1]) : null;
const seesAll = content.sensor === "all";

/** One agent's trace: the state of its map at a frame, and the changes between frames. */
class Trace {
  static async read(packed, letters) {
    const [path, expanded, expansions, rises, risenBy, discovered, ...counts] = await Promise.all([
      numbers(packed.cells, true), numbers(packed.expanded), numbers(packed.expansions, true),
      numbers(packed.rises, true), numbers(packed.risenBy), numbers(packed.discovered, true),
      numbers(packed.expansionsCounts, true), numbers(packed.risesCounts, true), numbers(packed.discoveredCounts, true),
    ]);
    return Object.assign(new Trace(), {
      packed, letters, path, expanded, expansions, rises, risenBy, discovered,
      expansionEnds: counts[0], riseEnds: counts[1], discoveryEnds: counts[2],
    }).init();
  }

  init() {
    this.frames = this.riseEnds.length - 1;
    this.frame = -1;
    this.planned = this.planFrames();
    [this.sights, this.sightEnds] = this.look();
    this.travelled = this.travel();
    this.totals = new Float64Array(this.frames + 1);
    for (let i = 1; i <= this.frames; i++) this.totals[i] = this.totals[i - 1] + this.expanded[i - 1];
    this.maxExpanded = this.expanded.reduce((largest, one) => Math.max(largest, one), 0);
    this.maxRisen = this.highest();
    this.risen = new Int32Array(cells);
    this.times = new Uint32Array(cells);
    this.visits = new Uint32Array(cells);
    this.isSeen = new Uint8Array(cells).fill(seesAll ? 1 : 0);
    this.isNow = new Uint8Array(cells);
    this.raised = 0;
    this.canvas = document.createElement("canvas");
    [this.canvas.width, this.canvas.height] = [width, height];
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    return this;
  }

  /** Returns for each frame the latest frame with expansions: the frame of the current plan. */
  planFrames() {
    const found = new Int32Array(this.frames + 1).fill(-1);
    for (let i = 1; i <= this.frames; i++) {
      found[i] = this.expansionEnds[i] > this.expansionEnds[i - 1] ? i : found[i - 1];
    }
    return found;
  }

  /** Returns the cells in the order in which they are seen, and the number seen by each frame. */
  look() {
    const ends = new Int32Array(this.frames + 1);
    if (seesAll) return [new Int32Array(0), ends];
    const isSeen = new Uint8Array(cells), sights = [];
    const see = (cell) => {
      if (!isSeen[cell]) sights.push(cell);
      isSeen[cell] = 1;
    };
    for (let frame = 0; frame <= this.frames; frame++) {
      const cell = this.path[frame];
      if (cell !== undefined) this.view(cell, frame ? this.path[frame - 1] : cell, frame === 0, see);
      for (let i = frame ? this.discoveryEnds[frame - 1] : 0; i < this.discoveryEnds[frame]; i++) see(this.discovered[i]);
      ends[frame] = sights.length;
    }
    return [Int32Array.from(sights), ends];
  }

  /** Calls `see` for the cells visible from a cell; after the first frame, only for cells that come into view. */
  view(cell, from, isFirst, see) {
    const [x, y, fromX, fromY] = [cell % width, Math.floor(cell / width), from % width, Math.floor(from / width)];
    see(cell);
    if (radius === null) {
      if (x > 0) see(cell - 1);
      if (x < width - 1) see(cell + 1);
      if (y > 0) see(cell - width);
      if (y < height - 1) see(cell + width);
      return;
    }
    const [left, right] = [Math.max(x - radius, 0), Math.min(x + radius, width - 1)];
    const [top, bottom] = [Math.max(y - radius, 0), Math.min(y + radius, height - 1)];
    const row = (at) => { for (let i = left; at >= 0 && at < height && i <= right; i++) see(at * width + i); };
    const column = (at) => { for (let i = top; at >= 0 && at < width && i <= bottom; i++) see(i * width + at); };
    if (isFirst) for (let at = top; at <= bottom; at++) row(at);
    if (y !== fromY) row(y + (y > fromY ? radius : -radius));
    if (x !== fromX) column(x + (x > fromX ? radius : -radius));
  }

  /** Returns the cost of the path up to each frame. */
  travel() {
    const found = new Float64Array(this.frames + 1);
    for (let i = 1; i <= this.frames; i++) {
      const step = i < this.path.length ? Math.abs(this.path[i] - this.path[i - 1]) : 0;
      found[i] = found[i - 1] + (step === 0 ? 0 : step === 1 || step === width ? 1 : Math.SQRT2);
    }
    return found;
  }

  /** Returns the maximum rise of any heuristic value. */
  highest() {
    const risen = new Map();
    let largest = 0;
    this.rises.forEach((cell, i) => {
      const now = (risen.get(cell) ?? 0) + this.risenBy[i];
      risen.set(cell, now);
      if (now < removed / 2) largest = Math.max(largest, now);
    });
    return largest;
  }

  get cell() { return this.path[Math.min(Math.max(this.frame, 0), this.path.length - 1)]; }
  get isOver() { return this.frame === this.frames; }

  /** Goes to a frame; repaints the changed cells, or all cells if the frame is far away. */
  go(frame) {
    const target = Math.min(Math.max(frame, 0), this.frames);
    if (target === this.frame) return;
    const isNear = this.frame >= 0 && Math.abs(target - this.frame) <= NEAR;
    const paint = isNear ? (cell) => this.paint(cell) : () => {};
    this.highlight(this.frame, 0, paint);
    while (this.frame < target) this.change(++this.frame, 1, paint);
    while (this.frame > target) this.change(this.frame--, -1, paint);
    this.highlight(this.frame, 1, paint);
    if (!isNear) this.paintAll();
    this.context.putImageData(this.image, 0, 0);
  }

  /** Applies the changes of a frame, or undoes them. */
  change(frame, sign, paint) {
    const before = frame - 1;
    for (let i = frame ? this.expansionEnds[before] : 0; i < this.expansionEnds[frame]; i++) {
      this.times[this.expansions[i]] += sign;
      paint(this.expansions[i]);
    }
    for (let i = frame ? this.riseEnds[before] : 0; i < this.riseEnds[frame]; i++) {
      this.risen[this.rises[i]] += sign * this.risenBy[i];
      if (Math.abs(this.risenBy[i]) < removed / 2) this.raised += sign * this.risenBy[i];
      paint(this.rises[i]);
    }
    for (let i = frame ? this.sightEnds[before] : 0; i < this.sightEnds[frame]; i++) {
      this.isSeen[this.sights[i]] = sign > 0 ? 1 : 0;
      paint(this.sights[i]);
    }
    if (frame < this.path.length) {
      this.visits[this.path[frame]] += sign;
      paint(this.path[frame]);
    }
  }

  /** Shows or hides the current plan of a frame: brighter in the frame in which it was made. */
  highlight(frame, isShown, paint) {
    const planned = frame > 0 ? this.planned[frame] : -1;
    if (planned < 0) return;
    for (let i = this.expansionEnds[planned - 1]; i < this.expansionEnds[planned]; i++) {
      this.isNow[this.expansions[i]] = isShown && (planned === frame ? 2 : 1);
      paint(this.expansions[i]);
    }
  }

  paintAll() { for (let cell = 0; cell < cells; cell++) this.paint(cell); }

  paint(cell) {
    let [red, green, blue] = this.letters.colours[this.letters.bytes[cell]];
    const over = (colour, share) => {
      red += (colour[0] - red) * share;
      green += (colour[1] - green) * share;
      blue += (colour[2] - blue) * share;
    };
    if (layers.unknown && !this.isSeen[cell]) over(FOG, 0.72);
    // On known obstacles, the terrain matters more.
    if (layers.before && this.times[cell]) over(BEFORE, this.isSeen[cell] && !this.letters.isFree(cell) ? 0.2 : 0.55);
    const risen = this.risen[cell];
    if (layers.heat && risen > 0) {
      if (risen >= removed / 2) over(REMOVED, 0.9);
      else over(HEAT[Math.round(255 * Math.sqrt(risen / heatScale))], 0.85);
    }
    if (layers.path && this.visits[cell]) over(PATH, risen > 0 && layers.heat ? 0.22 : 0.6);
    if (layers.now && this.isNow[cell]) over(NOW, this.isNow[cell] === 2 ? 0.85 : 0.55);
    this.pixels[cell] = 0xff000000 | (blue << 16) | (green << 8) | red;
  }
}

let heatScale = 1;

/** A trace on the page: its map, its planning per move, its values. */
class Panel {
  constructor(trace, number) {
    this.trace = trace;
    const { label, agent } = trace.packed;
    this.map = element("canvas", { "aria-label": `Map with the path of ${label}`, role: "img" });
    this.cellInfo = element("div", { class: "cell-info" });
    this.badge = element("div", { class: "badge", role: "status" });
    this.planning = element("canvas", { class: "planning", "aria-label": "States expanded for each move", role: "img" });
    this.close = element("canvas", { class: "close", "aria-label": "Close-up of the agent", role: "img" });
    this.values = {};
    const names = {
      move: "move", cost: "cost so far", expanded: "expanded for this move", total: "expanded so far",
      raised: "total rise of heuristics", seen: "map seen",
    };
    if (!trace.rises.length) delete names.raised;
    if (seesAll) delete names.seen;
    const row = ([name, title]) => {
      this.values[name] = element("dd", { "data-value": name });
      return element("div", {}, element("dt", {}, title), this.values[name]);
    };
    this.section = element(
      "section", { class: "trace card", id: `trace-${number}` },
      element("h2", {}, element("span", {}, label), element("code", { title: agent }, agent)),
      element("div", { class: "map" }, this.map, this.cellInfo, this.badge),
      element(
        "div", { class: "side" },
        element("dl", { class: "values" }, ...Object.entries(names).map(row)),
        this.planning,
        this.close,
      ),
    );
    byId("traces").append(this.section);
    this.section.style.setProperty("--aspect", width / height);
    this.listen();
  }

  listen() {
    let grabbed = null;
    this.map.addEventListener("pointerdown", (event) => {
      grabbed = { x: event.clientX, y: event.clientY };
      this.map.setPointerCapture(event.pointerId);
    });
    this.map.addEventListener("pointermove", (event) => {
      if (grabbed && event.buttons) {
        view.x -= (event.clientX - grabbed.x) / this.scale;
        view.y -= (event.clientY - grabbed.y) / this.scale;
        grabbed = { x: event.clientX, y: event.clientY };
        setFollow(false);
        draw();
      }
      this.describeCell(event);
    });
    this.map.addEventListener("pointerleave", () => { this.cellInfo.textContent = ""; });
    this.map.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = this.place(event);
      const zoom = Math.min(Math.max(view.zoom * Math.exp(-event.deltaY / 400), 1), Math.max(width, height) / 4);
      // The cell under the pointer stays there, unless the agent is followed.
      if (!isFollowing) {
        view.x = x + ((view.x - x) * view.zoom) / zoom;
        view.y = y + ((view.y - y) * view.zoom) / zoom;
      }
      view.zoom = zoom;
      draw();
    }, { passive: false });
    const seek = (event) => {
      if (!event.buttons) return;
      const box = this.planning.getBoundingClientRect();
      pause();
      go(Math.round(((event.clientX - box.left) / box.width) * lastFrame));
    };
    this.planning.addEventListener("pointerdown", seek);
    this.planning.addEventListener("pointermove", seek);
  }

  /** Width of a cell in pixels. */
  get scale() {
    return Math.min(this.map.clientWidth / width, this.map.clientHeight / height) * view.zoom;
  }

  /** Position of the pointer, in cells. */
  place(event) {
    const box = this.map.getBoundingClientRect();
    return [
      view.x + (event.clientX - box.left - box.width / 2) / this.scale,
      view.y + (event.clientY - box.top - box.height / 2) / this.scale,
    ];
  }

  /** Describes the cell under the pointer. */
  describeCell(event) {
    const [x, y] = this.place(event).map(Math.floor);
    if (x < 0 || y < 0 || x >= width || y >= height) {
      this.cellInfo.textContent = "";
      return;
    }
    const { trace } = this, cell = y * width + x, risen = trace.risen[cell];
    const words = [`${x},${y}`, trace.letters.name(cell)];
    if (!trace.isSeen[cell]) words.push("not seen yet");
    if (trace.times[cell]) words.push(`expanded ${times(trace.times[cell])}`);
    if (trace.visits[cell]) words.push(`visited ${times(trace.visits[cell])}`);
    if (risen > 0) words.push(risen >= removed / 2 ? "removed" : `heuristic +${number(risen / parts)}`);
    this.cellInfo.textContent = words.join(" · ");
  }

  draw() {
    const dense = window.devicePixelRatio || 1, { close } = this;
    this.drawMap(this.map, [view.x, view.y], this.scale, dense);
    if (close.clientHeight) {
      const across = Math.max(CLOSE, 2 * (radius ?? 0) + 7);
      this.drawMap(close, middle(this.trace.cell), Math.max(close.clientHeight / across, this.scale), dense);
    }
    this.drawPlanning(dense);
  }

  /** Draws the map onto a canvas, centred at a place; `scale` is in pixels per cell. */
  drawMap(canvas, [x, y], scale, dense) {
    const { trace } = this;
    const context = fitted(canvas, dense);
    context.fillStyle = "#16181d";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const unit = scale * dense;
    context.setTransform(unit, 0, 0, unit, canvas.width / 2 - x * unit, canvas.height / 2 - y * unit);
    context.imageSmoothingEnabled = unit < 1;
    context.drawImage(trace.canvas, 0, 0);
    const pixels = dense / unit; // size of a pixel in cells
    if (radius !== null && layers.unknown) {
      context.strokeStyle = "#ffffffa0";
      context.lineWidth = pixels;
      const [x, y] = middle(trace.cell);
      context.strokeRect(x - radius - 0.5, y - radius - 0.5, 2 * radius + 1, 2 * radius + 1);
    }
    if (layers.path) this.drawTrail(context, pixels);
    dot(context, trace.path[0], "#14a03c", Math.max(0.45, 5 * pixels), pixels);
    dot(context, content.goal, "#dc148c", Math.max(0.45, 5 * pixels), pixels);
    dot(context, trace.cell, "#ffffff", Math.max(0.35, 6 * pixels), 2 * pixels, "#1b2cc1");
  }

  /** Draws the last moves as a fading line. */
  drawTrail(context, pixels) {
    const { path, frame } = this.trace, end = Math.min(frame, path.length - 1), pieces = 8;
    context.lineWidth = Math.max(0.25, 2 * pixels);
    context.lineJoin = context.lineCap = "round";
    for (let piece = 0; piece < pieces; piece++) {
      const first = Math.max(end - Math.round((TRAIL * (pieces - piece)) / pieces), 0);
      const last = Math.max(end - Math.round((TRAIL * (pieces - piece - 1)) / pieces), 0);
      if (first === last) continue;
      context.strokeStyle = `rgb(27 44 193 / ${0.15 + (0.85 * (piece + 1)) / pieces})`;
      context.beginPath();
      for (let i = first; i <= last; i++) context.lineTo(...middle(path[i]));
      context.stroke();
    }
  }

  /** Draws the states expanded for each move as bars; a bar of several moves shows their mean, and behind it their maximum. */
  drawPlanning(dense) {
    const { planning, trace } = this;
    const context = fitted(planning, dense);
    const style = getComputedStyle(document.documentElement);
    const [shade, faint, ink, soft] = ["--shade", "--faint", "--ink", "--soft"].map((name) => style.getPropertyValue(name));
    const key = `${planning.width} ${planning.height} ${shade}`;
    if (this.bars?.key !== key) {
      this.bars = { key, past: this.barsIn(shade, "#9fd8e4", "#0e9fbd"), ahead: this.barsIn(shade, faint, soft) };
    }
    const now = Math.round(((trace.frame + 0.5) * planning.width) / (lastFrame + 1));
    context.drawImage(this.bars.ahead, 0, 0);
    if (now > 0) context.drawImage(this.bars.past, 0, 0, now, planning.height, 0, 0, now, planning.height);
    context.fillStyle = ink;
    context.fillRect(now - dense, 0, 2 * dense, planning.height);
    context.fillStyle = soft;
    context.font = `${11 * dense}px system-ui, sans-serif`;
    context.fillText(`expanded per move, maximum ${number(trace.maxExpanded)}`, 4 * dense, 11 * dense);
  }

  barsIn(ground, maximum, mean) {
    const { width: wide, height: tall } = this.planning, { expanded, maxExpanded } = this.trace;
    const canvas = Object.assign(document.createElement("canvas"), { width: wide, height: tall });
    const context = canvas.getContext("2d");
    context.fillStyle = ground;
    context.fillRect(0, 0, wide, tall);
    const room = wide / (lastFrame + 1), count = Math.max(1, Math.floor(1 / room));
    for (let first = 0; first < expanded.length; first += count) {
      const moves = expanded.subarray(first, first + count);
      const [left, right] = [first + 1, first + 1 + count].map((frame) => Math.floor(frame * room));
      const bar = (value) => {
        const high = value && Math.max(1, (tall * 0.72 * value) / maxExpanded);
        context.fillRect(left, tall - high, Math.max(1, right - left - (room > 4 ? 1 : 0)), high);
      };
      context.fillStyle = maximum;
      bar(moves.reduce((a, b) => Math.max(a, b)));
      context.fillStyle = mean;
      bar(moves.reduce((a, b) => a + b) / moves.length);
    }
    return canvas;
  }

  /** Updates the values of the frame. */
  write() {
    const { trace, values } = this, { frame } = trace;
    const set = (name, value, more = "") => {
      values[name]?.replaceChildren(value, ...(more ? [element("small", {}, ` ${more}`)] : []));
    };
    const moves = trace.path.length - 1;
    set("move", number(Math.min(frame, moves)), `of ${number(moves)}`);
    const travelled = trace.travelled[frame];
    set("cost", decimal(travelled, 1), `${decimal(travelled / content.optimal, 2)} × optimum`);
    const expanded = frame ? trace.expanded[frame - 1] : 0;
    const ground = frame ? trace.expansionEnds[frame] - trace.expansionEnds[frame - 1] : 0;
    set("expanded", number(expanded), expanded > ground ? `${number(expanded - ground)} of them abstract` : "");
    set("total", number(trace.totals[frame]));
    set("raised", number(trace.raised / parts));
    set("seen", `${decimal((100 * trace.sightEnds[frame]) / cells, 1)} %`);
    const { status, reason } = trace.packed, isSolved = status === "solved";
    this.badge.className = isSolved ? "badge" : "badge lost";
    this.badge.textContent = !trace.isOver ? "" : isSolved ? "arrived" : reason ?? status;
    this.section.dataset.frame = frame;
  }
}

const middle = (cell) => [(cell % width) + 0.5, Math.floor(cell / width) + 0.5];
const decimal = (value, digits) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const times = (count) => (count === 1 ? "once" : `${number(count)} times`);

function dot(context, cell, fill, size, edge, stroke = "#ffffff") {
  context.beginPath();
  context.arc(...middle(cell), size, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 1.5 * edge;
  context.strokeStyle = stroke;
  context.stroke();
}

/** Resizes a canvas to its pixels on the screen and returns its context. */
function fitted(canvas, dense) {
  const [wide, tall] = [Math.round(canvas.clientWidth * dense), Math.round(canvas.clientHeight * dense)];
  if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  return context;
}

/** Visible part of the map: its centre, and the zoom relative to the whole map. */
const view = { x: width / 2, y: height / 2, zoom: 1 };
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000];
let panels = [];
let [lastFrame, frame, isFollowing] = [0, 0, false];
/** While playing: the time and frame at which the current speed was set. */
let playing = null;

function setFollow(wanted) {
  isFollowing = byId("follow").checked = wanted;
}

function go(target) {
  frame = Math.min(Math.max(target, 0), lastFrame);
  for (const panel of panels) {
    panel.trace.go(frame);
    panel.write();
  }
  byId("time").value = frame;
  byId("clock").textContent = `move ${number(frame)} of ${number(lastFrame)}`;
  draw();
}

function draw() {
  if (isFollowing) {
    // The centre of all agents.
    const places = panels.map((panel) => middle(panel.trace.cell));
    [view.x, view.y] = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
  }
  for (const panel of panels) panel.draw();
}

function repaint() {
  for (const { trace } of panels) {
    trace.paintAll();
    trace.context.putImageData(trace.image, 0, 0);
  }
  draw();
}

function play() {
  if (frame >= lastFrame) go(0);
  playing = { since: performance.now(), from: frame };
  document.body.classList.add("playing");
  byId("play").setAttribute("aria-label", "Pause");
  requestAnimationFrame(tick);
}

function pause() {
  playing = null;
  document.body.classList.remove("playing");
  byId("play").setAttribute("aria-label", "Play");
}

function tick(now) {
  if (!playing) return;
  const target = playing.from + Math.floor((Math.max(now - playing.since, 0) / 1000) * Number(byId("speed").value));
  if (target !== frame) go(target);
  if (frame >= lastFrame) pause();
  else requestAnimationFrame(tick);
}

function step(by) {
  pause();
  go(frame + by);
}

function changeSpeed(by) {
  const speed = byId("speed");
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), SPEEDS.length - 1);
  speed.dispatchEvent(new Event("change"));
}

function wholeMap() {
  setFollow(false);
  Object.assign(view, { x: width / 2, y: height / 2, zoom: 1 });
  draw();
}

const KEYS = {
  " ": () => (playing ? pause() : play()),
  ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
  Home: () => step(-lastFrame),
  End: () => step(lastFrame),
  "+": () => changeSpeed(1),
  "=": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  f: () => byId("follow").click(),
  0: wholeMap,
};

function listen() {
  byId("first").addEventListener("click", KEYS.Home);
  byId("back").addEventListener("click", () => step(-1));
  byId("play").addEventListener("click", KEYS[" "]);
  byId("forward").addEventListener("click", () => step(1));
  byId("last").addEventListener("click", KEYS.End);
  byId("time").addEventListener("input", (event) => step(Number(event.target.value) - frame));
  byId("speed").addEventListener("change", () => {
    if (playing) playing = { since: performance.now(), from: frame };
  });
  for (const name of Object.keys(layers)) {
    byId(name).addEventListener("change", (event) => {
      layers[name] = event.target.checked;
      repaint();
    });
  }
  byId("follow").addEventListener("change", (event) => {
    setFollow(event.target.checked);
    if (isFollowing) view.zoom = Math.max(view.zoom, Math.max(width, height) / 64);
    draw();
  });
  byId("whole").addEventListener("click", wholeMap);
  addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isTaken = event.target.closest?.("select, button, input[type=checkbox]") && key === " ";
    if (!KEYS[key] || event.ctrlKey || event.metaKey || event.altKey || isTaken || event.target.closest?.("select")) return;
    event.preventDefault();
    KEYS[key](event);
  });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

async function start() {
  const bytes = await inflated(content.letters);
  const letters = {
    bytes,
    colours: Array.from({ length: 256 }, (_, code) => TERRAIN[String.fromCharCode(code)] ?? [255, 0, 255]),
    isFree: (cell) => FREE.has(String.fromCharCode(bytes[cell])),
    name: (cell) => NAMES[String.fromCharCode(bytes[cell])] ?? String.fromCharCode(bytes[cell]),
  };
  const traces = await Promise.all(content.traces.map((packed) => Trace.read(packed, letters)));
  lastFrame = Math.max(...traces.map((trace) => trace.frames));
  heatScale = Math.max(1, ...traces.map((trace) => trace.maxRisen));
  byId("title").textContent = document.title;
  const [x, y] = middle(traces[0].path[0]), [goalX, goalY] = middle(content.goal);
  byId("about").textContent = [
    `from ${x - 0.5},${y - 0.5} to ${goalX - 0.5},${goalY - 0.5}`, `optimum ${number(content.optimal)}`,
    `sensor ${content.sensor}`, `diagonal moves: ${content.diagonal}`,
  ].join(" · ");
  byId("max-raised").textContent = number(heatScale / parts);
  byId("has-heat").hidden = !traces.some((trace) => trace.rises.length);
  byId("has-removed").hidden = !traces.some((trace) => trace.risenBy.some((by) => by > removed / 2));
  byId("has-unknown").hidden = seesAll;
  byId("time").max = lastFrame;
  // Plays the trace in about 15 seconds, at least at 10 moves per second.
  const wanted = SPEEDS.find((speed) => speed >= lastFrame / 15) ?? SPEEDS.at(-1);
  for (const speed of SPEEDS) {
    const selected = speed === Math.max(wanted, 10);
    byId("speed").append(element("option", { value: speed, selected }, `${number(speed)} moves/s`));
  }
  panels = traces.map((trace, i) => new Panel(trace, i));
  listen();
  go(0);
  document.body.dataset.ready = "yes";
}

start();

// On a phone, the layers would cover the map.
if (matchMedia("(max-width: 40rem)").matches) byId("legend").open = false;
