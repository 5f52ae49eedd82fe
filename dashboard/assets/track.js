// A slider over a track: it gets the points, the lists between them and all sentences once, and re-orders the rows by itself. The server
// is told a value only when the reader lets go.

const PAUSE = 400; // ms without a key before a value that was set by keys counts as let go

const start = (root) => {
  const part = skeleton(root);
  const list = listing(part);
  let data = null;
  let send = () => {};
  let current = 0; // the value that is shown
  let drawn = null; // the list that is shown, as a place in data.lists
  let waiting = []; // values that were sent and not yet answered, in order
  let timer = 0;
  let held = false; // the pointer holds the slider
  let writing = false; // the number field holds what was not let go

  const share = (value) => (data.high > data.low ? (value - data.low) / (data.high - data.low) : 0);
  const percent = (value) => `${100 * share(value)}%`;
  const say = (value) => shown(data, value);
  const listAt = (value) => listOf(data, position(data.points, value));
  const inForce = () => data.lists[listAt(data.value)] || [];

  const counted = (name, n) => fill(data.words[`count_${name}_${n === 1 ? "one" : "other"}`], { n });

  const summary = (here) => {
    const { words } = data;
    if (current === data.value) return words.in_force;
    if (here === listAt(data.value)) return words.as_in_force;
    const [old, now] = [inForce(), data.lists[here] || []];
    const sizes = {
      new: now.filter((hit) => !old.includes(hit)).length,
      gone: old.filter((hit) => !now.includes(hit)).length,
      moved: now.filter((hit, place) => old.includes(hit) && old[place] !== hit).length,
    };
    const changes = Object.entries(sizes).filter(([, n]) => n);
    return fill(words.against, { changes: changes.map(([name, n]) => counted(name, n)).join(", ") });
  };

  // The events next to a value, null where there is none. Of two at one value the first is the change that lasts.
  const beside = (value) => {
    const after = data.events.find((event) => event.at > value) || null;
    const last = data.events.findLast((event) => event.at < value);
    const before = last ? data.events.find((event) => event.at === last.at) : null;
    return [before, after];
  };

  const sentence = (place) => {
    const { words } = data;
    const values = { value: say(current) };
    if (listOf(data, place) < 0) return fill(words.stable_refused, values);
    const [low, high] = stable(data, place);
    const kind = low === high ? "point" : current === low || current === high ? "edge" : "between";
    return fill(words[`stable_${kind}`], { ...values, low: say(low), high: say(high) });
  };

  const aloud = (before, after) => {
    const { words } = data;
    const values = { value: say(current) };
    // A value that is only refused changes no list.
    if (before && after && before.size && after.size) return fill(words.spoken_both, { ...values, low: say(before.at), high: say(after.at) });
    const one = [before, after].find((event) => event && event.size);
    return one ? fill(words.spoken_one, { ...values, at: say(one.at) }) : fill(words.spoken_none, values);
  };

  // Draw everything that depends on the value. ``keep`` names the control that shows it already.
  const show = (value, keep) => {
    current = value;
    const place = position(data.points, value);
    const here = listOf(data, place);
    if (here !== drawn && here >= 0) {
      drawn = here;
      list.draw(data, data.lists[here], inForce());
    }
    const { words } = data;
    const [low, high] = stable(data, place);
    const [before, after] = beside(value);
    if (keep !== part.range) part.range.value = String(value);
    if (keep !== part.number) {
      part.number.value = say(value);
      wrong(false);
    }
    part.range.setAttribute("aria-valuetext", aloud(before, after));
    part.atLine.style.left = percent(value);
    part.bracket.style.left = percent(low);
    part.bracket.style.width = `${100 * (share(high) - share(low))}%`;
    part.bracket.classList.toggle("point", low === high);
    part.stability.hidden = here >= 0 && Boolean(data.off || data.constant);
    put(part.stability, sentence(place));
    put(part.summary, summary(here));
    put(part.previousText, before ? before.down : words.none_before);
    put(part.nextText, after ? after.up : words.none_after);
    part.previous.disabled = Boolean(data.off) || stop(-1) === null;
    part.next.disabled = Boolean(data.off) || stop(1) === null;
    root.dataset.value = String(value);
  };

  const wrong = (yes) => {
    part.invalid.hidden = !yes;
    part.number.setAttribute("aria-invalid", String(yes));
    part.number[yes ? "setAttribute" : "removeAttribute"]("aria-describedby", part.invalid.id);
  };

  // The next value to jump to in a direction: the first at which another list stands.
  const stop = (direction) => {
    const here = listAt(current);
    const other = (value) => (value - current) * direction > 0 && listAt(value) !== here;
    const found = direction > 0 ? data.stops.find(other) : data.stops.findLast(other);
    return found === undefined ? null : found;
  };

  // --- letting go ------------------------------------------------------------------------------------------------------------

  const release = () => {
    clearTimeout(timer);
    timer = 0;
    writing = false;
    const here = listAt(current);
    const last = waiting.length ? waiting[waiting.length - 1] : data.value;
    put(part.live, fill(data.words.announced, { value: say(current), summary: here < 0 ? part.stability.textContent : summary(here) }));
    if (here < 0 || current === last) return;
    waiting.push(current);
    send(current);
  };

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(release, PAUSE);
  };

  const pending = () => {
    if (timer || writing) release();
  };

  const jump = (direction) => {
    const value = stop(direction);
    if (value !== null) show(value);
    later();
  };

  const step = (direction) => {
    const steps = (current - data.low) / data.step;
    const next = direction > 0 ? Math.floor(steps + 1e-9) + 1 : Math.ceil(steps - 1e-9) - 1;
    show(round(data, data.low + next * data.step));
  };

  const back = () => {
    clearTimeout(timer);
    timer = 0;
    writing = false;
    show(waiting.length ? waiting[waiting.length - 1] : data.value);
  };

  const JUMPS = { PageUp: 1, "]": 1, PageDown: -1, "[": -1 };
  const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  const ENDS = { Home: "low", End: "high" };

  // Keys that mean something here; the others go their way, but not to the shortcuts of the page around.
  const onKey = (event) => {
    event.stopPropagation();
    if (!data || data.off || event.ctrlKey || event.metaKey) return;
    const { key, target } = event;
    if (key in JUMPS) jump(JUMPS[key]);
    else if (key === "Escape") back();
    else if (target === part.range && key in STEPS) step(STEPS[key]);
    else if (target === part.range && key in ENDS) show(data[ENDS[key]]);
    else if (target === part.number && key === "Enter") enter();
    else return;
    event.preventDefault();
    if (target === part.range) clearTimeout(timer);
    if (target === part.range && key !== "Escape") timer = setTimeout(release, 5 * PAUSE);
  };

  const onKeyUp = (event) => {
    if (timer && event.target === part.range) later();
  };

  const onPointer = () => {
    const raw = Number(part.range.value);
    const fine = Math.round(raw / data.fine) * data.fine;
    show(round(data, raw <= data.low || raw >= data.high ? raw : fine), part.range);
  };

  const onTyped = () => {
    const value = typed(data, part.number.value);
    wrong(value === null);
    writing = value !== null;
    if (writing) show(value, part.number);
  };

  const enter = () => {
    if (typed(data, part.number.value) === null) {
      wrong(true);
      return;
    }
    show(current);
    release();
  };

  part.panel.addEventListener("keydown", onKey);
  part.panel.addEventListener("keyup", onKeyUp);
  part.range.addEventListener("pointerdown", () => {
    held = true;
  });
  part.range.addEventListener("input", onPointer);
  const drop = () => {
    if (!held) return;
    held = false;
    show(current);
    release();
  };
  part.range.addEventListener("change", drop);
  part.range.addEventListener("pointerup", drop);
  part.range.addEventListener("pointercancel", drop);
  part.range.addEventListener("blur", pending);
  part.number.addEventListener("input", onTyped);
  part.number.addEventListener("blur", () => {
    pending();
    show(current);
  });
  part.previous.addEventListener("click", () => jump(-1));
  part.next.addEventListener("click", () => jump(1));

  // --- what the server says ---------------------------------------------------------------------------------------------------

  // A late answer to a value that another has followed is no news; a value that was not asked for here comes from elsewhere and counts.
  const answered = (value, before) => {
    const place = waiting.indexOf(value);
    if (place >= 0) waiting = waiting.slice(place + 1);
    else if (value !== before) waiting = [];
    return !waiting.length;
  };

  const texts = () => {
    const { words } = data;
    root.lang = data.language;
    Object.entries({ lead: "lead", numberLabel: "number", low: "low", high: "high", listTitle: "list", badges: "badges" }).forEach(([name, word]) =>
      put(part[name], words[word]),
    );
    put(part.goneTitle, words.gone_title);
    put(part.label, data.label);
    put(part.notice, data.off || data.constant);
    put(part.invalid, words.invalid);
    put(part.previous, `‹ ${words.previous}`);
    put(part.next, `${words.next} ›`);
    put(part.empty, words.empty);
    put(part.chartTitle, words.chart);
    put(part.chartText, words.chart_sentence);
    put(part.force.firstChild, words.force);
    keyHint(part.keys, words);
  };

  const load = (news, trigger) => {
    const before = data;
    data = news;
    send = trigger;
    const other = !before || before.knob !== news.knob;
    if (other) waiting = [];
    const take = answered(news.value, before ? before.value : NaN) && !held && !timer && !writing;
    const off = Boolean(news.off);
    list.forget(news.hits);
    texts();
    part.notice.hidden = !(off || news.constant);
    ["jumps", "chart"].forEach((name) => {
      part[name].hidden = off || Boolean(news.constant);
    });
    ["list", "listTitle", "badges", "summary", "keys", "lead"].forEach((name) => {
      part[name].hidden = off;
    });
    part.range.disabled = off;
    part.number.disabled = off;
    Object.entries({ min: news.low, max: news.high, step: "any" }).forEach(([name, value]) => part.range.setAttribute(name, value));
    part.force.style.left = percent(news.value);
    part.forceLine.style.left = percent(news.value);
    part.force.classList.toggle("right", share(news.value) > 0.5);
    drawTicks(part.ticks, news, share);
    drawBars(part.bars, news, share);
    if (other) part.chart.open = news.hits.length <= 20;
    drawn = null;
    show(other || take ? news.value : round(news, current), held ? part.range : writing ? part.number : undefined);
    if (off) {
      part.gone.hidden = true;
      part.empty.hidden = true;
    }
  };

  return { load, stop: pending };
};

const sliders = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".track");
  if (!sliders.has(root)) sliders.set(root, start(root));
  sliders.get(root).load(data, (value) => setTriggerValue("value", value));
}
