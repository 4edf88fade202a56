// Documents: guides, comparisons, views and reports. The page is complete without this script, which adds the slider.

/** Shows the best agent for the limit of the slider. */
function slider({ unit, limits }) {
  const text = (limit) => (limit === null || limit === Infinity ? "no limit" : unit === "time" ? duration(limit) : number(limit));
  const last = limits.at(-1);
  const top = last.max ?? Infinity;
  const low = Math.max(limits[0].min, 1);
  const high = Math.max(...limits.map(({ min, max }) => max ?? min * 3), low * 1.01);
  const scale = limitScale(low, high, top);
  const colours = new Map();
  for (const { agent } of limits) if (agent !== null && !colours.has(agent)) colours.set(agent, `var(--family-${colours.size % 8})`);
  let limit = limits[Math.floor(limits.length / 2)].min;

  function update() {
    const now = limits.findLast(({ min }) => min <= limit) ?? limits[0];
    byId("slider").value = scale.of(limit);
    byId("slider").setAttribute("aria-valuetext", text(limit));
    const quantity = unit === "time" ? "" : limit === 1 ? " state" : " states";
    byId("question").textContent = limit === Infinity ? "Without a limit on planning per move" : `With at most ${text(limit)}${quantity} for any single move`;
    byId("answer").replaceChildren(
      ...(now.agent === null ? ["no agent qualifies."] : [element("strong", {}, now.agent), ` is best: ${now.about}.`]),
    );
    const segments = limits.map((each) => ({
      min: each.min,
      max: each.max ?? Infinity,
      name: each.agent ?? "no agent",
      colour: colours.get(each.agent) ?? "var(--faint)",
      now: each === now,
    }));
    drawLimits(scale, segments, text, (chosen) => {
      limit = chosen;
      update();
    });
    const rows = byId("guide").querySelectorAll("tbody tr");
    for (const row of rows) row.classList.toggle("now", row.cells[0].textContent === now.text);
  }

  byId("slider").addEventListener("input", () => {
    limit = scale.at(Number(byId("slider").value));
    update();
  });
  new ResizeObserver(update).observe(byId("strip"));
  update();
}

if (content.limits) slider(content);
