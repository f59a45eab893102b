"use strict";
// Viewer of all predictions: a list that draws only the rows in sight, filters that stand in the address, and the
// details of one problem. Predictions are untrusted: they become text nodes, never markup. With `index.kinds` the rows
// are problems with their variants: entries have tallies by kind of variant, and details have texts and answers.
(() => {
  const $ = (id) => document.getElementById(id);
  const form = $("filter"), board = $("board"), detail = $("detail"), trouble = $("trouble");
  const FIELDS = ["q", "system", "verdict", "reason", "solution", "error", "kind", "sort", "desc", "differ"];
  const AHEAD = 8; // rows that are drawn beyond the edge
  const ROW = 3.1; // the height of a row in rem, as in viewer.css
  const KEPT = 12; // chunks of details that stay in memory
  const NS = "http://www.w3.org/2000/svg";

  // An element from "tag.class.class", its properties or attributes, and its children; empty ones are left out.
  const el = (kind, given, ...children) => {
    const [tag, ...classes] = kind.split(".");
    const node = document.createElement(tag);
    if (classes.length) node.className = classes.join(" ");
    for (const [name, value] of Object.entries(given ?? {})) {
      if (name in node && !name.startsWith("aria")) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...children.flat(Infinity).filter((child) => child || child === 0));
    return node;
  };
  const isText = (value) => typeof value === "string";

  if (typeof DecompressionStream === "undefined") {
    trouble.textContent = "This browser is too old to show answers: use Chrome 111, Firefox 113, Safari 16.4 or newer.";
    trouble.hidden = false;
    return;
  }

  const unpack = (node) => {
    const bytes = Uint8Array.from(atob(node.textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };

  const start = async () => {
    const index = await unpack($("index"));
    const { systems, rows } = index;
    const statuses = index.statuses.map(([name]) => name), reasons = index.reasons.map(([name]) => name);
    const collator = new Intl.Collator("en", { numeric: true });
    // An entry of the list: status, reason, whether the solution is right, length, first error, whether that is sure, and
    // a 1 if the derivation is right only on corrected gold.
    const entry = (row, system) => rows[row][2 + system];
    // Right 4, undecided or not judged 2, and 1 for the solution.
    const worth = (one) => (one ? [4, 0, 2, 2][one[0]] + one[2] : -1);
    // With variants an entry goes on: right answers, and for each kind right answers of how many, or null.
    const { kinds = [] } = index;
    const tally = (one, kind) => (kind < 0 ? [one[6], one[3]] : one[7][kind]);
    const isSolved = (one, kind) => {
      if (!kinds.length) return one[2];
      const [right, all] = tally(one, kind);
      return Number(right === all);
    };
    const all = [...systems.keys()];
    const byId = rows.map((_, row) => row).sort((a, b) => collator.compare(rows[a][0], rows[b][0]));
    const empty = { id: "", show: "" };
    for (const name of FIELDS) empty[name] = "";
    let state = { ...empty };
    let shown = []; // rows that fit, in their order
    let texts = null; // what a search looks at, row by row, once it was asked for

    // ---- Details, in chunks
    const chunks = [...document.querySelectorAll("script.chunk")];
    const kept = new Map();
    const chunk = (number) => {
      const found = kept.get(number) ?? unpack(chunks[number]);
      kept.delete(number);
      kept.set(number, found);
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
      return found;
    };
    const details = async (row) => (await chunk(Math.floor(row / index.chunk)))[row % index.chunk];
    const textOf = (part) => (isText(part) ? part : part.slice(1).flat().join(""));
    const textOfPieces = (pieces) => pieces.map((piece) => (isText(piece) ? piece : piece[1])).join("");
    const answerText = (one) => (one.answer ?? []).map(textOf).join("");
    const given = (one) => (one.isAnswer ? answerText(one) : (one.given ?? ""));
    const question = (problem) => (problem.question ?? []).map((piece) => (isText(piece) ? piece : piece[0])).join("");
    let reading = null;
    const readTexts = () => (reading ??= (async () => {
      const found = [];
      for (let at = 0; at < chunks.length; at++) {
        for (const [problem, ...entries] of await unpack(chunks[at])) {
          const variants = problem.variants?.map(({ id, text }) => `${id} ${textOfPieces(text)}`).join(" ") ?? "";
          const own = `${rows[found.length][0]} ${question(problem)} ${variants}`.toLowerCase();
          found.push(entries.map((one) => (one ? `${own} ${one.message} ${given(one)}`.toLowerCase() : "")));
        }
      }
      texts = found;
    })());

    // ---- The address
    const address = (values) => {
      const chosen = new URLSearchParams();
      for (const [name, value] of Object.entries(values)) if (value) chosen.set(name, value);
      return `#${chosen.size ? chosen : "answers"}`;
    };
    const remember = () => history.replaceState(null, "", address(state));
    const restore = () => {
      const chosen = new URLSearchParams(location.hash.slice(1));
      state = { ...empty };
      for (const name of Object.keys(empty)) state[name] = chosen.get(name) ?? "";
      for (const name of FIELDS) {
        const field = form.elements[name];
        if (!field) state[name] = "";
        else if (field.type === "checkbox") field.checked = state[name] !== "";
        else field.value = state[name];
        if (field?.tagName === "SELECT" && field.value !== state[name]) field.value = state[name] = "";
      }
      return [...chosen.keys()].some((name) => name in empty);
    };
    const read = () => {
      for (const name of FIELDS) {
        const field = form.elements[name];
        if (field) state[name] = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value.trim();
      }
    };

    // ---- Filters and order
    const focus = () => (state.system ? [systems.indexOf(state.system)] : all);
    const select = () => {
      const verdict = statuses.indexOf(state.verdict), reason = reasons.indexOf(state.reason);
      const error = index.steps.indexOf(state.error), solution = { right: 1, wrong: 0 }[state.solution];
      const kind = kinds.indexOf(state.kind);
      const words = state.q.toLowerCase().split(/\s+/).filter(Boolean), looked = focus();
      const narrowed = FIELDS.slice(0, 7).some((name) => state[name]);
      const fits = (row) => (system) => {
        const one = entry(row, system);
        return one && (verdict < 0 || one[0] === verdict) && (reason < 0 || one[1] === reason) &&
          (kind < 0 || one[7][kind]) && (solution === undefined || isSolved(one, kind) === solution) &&
          (error < 0 || one[4] === error) &&
          words.every((word) => texts[row][system].includes(word));
      };
      const differs = (row) => new Set(all.map((system) => entry(row, system)?.[0])).size > 1;
      shown = byId.filter((row) => (!state.differ || differs(row)) && (!narrowed || looked.some(fits(row))));
      const keys = {
        verdict: (row) => looked.map((system) => worth(entry(row, system))),
        reason: (row) => looked.map((system) => entry(row, system)?.[1] ?? 99),
        answers: (row) => looked.map((system) => {
          const one = entry(row, system), [right, all] = (one && tally(one, kind)) || [0, 0];
          return all ? right / all : -1;
        }),
        length: (row) => [Math.max(...looked.map((system) => entry(row, system)?.[3] ?? 0))],
        // Problems where the first system, or the chosen one, does best against the others come first.
        difference: (row) => {
          const own = looked.length === 1 ? looked[0] : 0, others = all.filter((system) => system !== own);
          const sum = others.reduce((total, system) => total + worth(entry(row, system)), 0);
          return [sum / Math.max(others.length, 1) - worth(entry(row, own))];
        },
      };
      if (keys[state.sort]) {
        const of = new Map(shown.map((row) => [row, keys[state.sort](row)]));
        const less = (a, b) => of.get(a).reduce((order, value, at) => order || value - of.get(b)[at], 0);
        shown.sort(less);
      }
      if (state.desc) shown.reverse();
      return (row) => looked.find((system) => fits(row)(system));
    };
    let firstFit = () => undefined;
    const apply = async () => {
      if (state.q && !texts) {
        $("count").textContent = "Searching…";
        await readTexts();
      }
      firstFit = select();
      $("count").textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${index.samples.length ? "samples" : "problems"}`;
      drawHead();
      draw(true);
      preparePrint();
      await open();
    };

    // ---- The list
    const head = el("div", { role: "row", className: "row head" });
    const space = el("div", { role: "rowgroup", className: "space" });
    const none = el("p", { className: "none", hidden: true }, "Nothing fits this filter.");
    const grid = el("div", { role: "grid", tabIndex: 0, id: "grid", "aria-label": "Problems" }, head, space);
    board.append(grid, none);
    board.style.setProperty("--systems", systems.length);
    const drawn = new Map();
    let height = 52;
    const column = (text, sort, system) => {
      const on = state.sort === sort && (!system || state.system === system || systems.length === 1);
      const press = () => {
        state.desc = on && !state.desc ? "1" : "";
        state.sort = sort;
        if (system) state.system = system;
        remember();
        restore();
        apply();
      };
      const way = on ? (state.desc ? "descending" : "ascending") : "none";
      const label = `${text}${on ? (state.desc ? " ↓" : " ↑") : ""}`;
      const button = el("button", { type: "button", title: `Sort by ${text}`, onclick: press }, label);
      return el("div", { role: "columnheader", "aria-sort": way }, button);
    };
    const drawHead = () => head.replaceChildren(
      column("Id", ""), el("div", { role: "columnheader", className: "beginning" }, "Question"),
      ...systems.map((name) => column(name, "verdict", name)));
    const verdictMark = (one) => {
      const [name, icon] = index.statuses[one[0]];
      return el("b", { className: `verdict is-${name}` }, el("span", { "aria-hidden": "true" }, icon), ` ${name}`);
    };
    const mended = (one) => one[6] && "right on corrected gold";
    const cell = (one) => {
      if (!one) return el("div", { role: "gridcell" }, "–");
      const differs = !kinds.length && (one[0] === 0) !== (one[2] === 1);
      const solution = kinds.length ? solutionText(one) : differs && (one[2] ? "answer ✓" : "answer ✗");
      const reason = one[1] && reasons[one[1]];
      const more = [...(kinds.length ? [solution, reason] : [reason, solution]), mended(one)].filter(Boolean).join(" · ");
      const title = index.reasons[one[1]].join(": ");
      return el("div", { role: "gridcell", title }, verdictMark(one), el("small", null, more));
    };
    const drawRow = (at) => {
      const row = shown[at], [id, beginning] = rows[row];
      const given = { role: "row", id: `row-${at}`, "aria-rowindex": at + 2, "aria-selected": String(id === state.id) };
      const node = el("div.row", { ...given, onclick: () => choose(at) },
        el("div", { role: "rowheader" }, id), el("div.beginning", { role: "gridcell" }, beginning),
        all.map((system) => cell(entry(row, system))));
      node.style.transform = `translateY(${at * height}px)`;
      return node;
    };
    const draw = (anew) => {
      if (anew) {
        drawn.clear();
        space.replaceChildren();
        height = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * ROW;
        space.style.height = `${shown.length * height}px`;
        board.style.setProperty("--rows", shown.length);
        grid.setAttribute("aria-rowcount", shown.length + 1);
        none.hidden = shown.length > 0;
      }
      const from = Math.max(0, Math.floor(grid.scrollTop / height) - AHEAD);
      const to = Math.min(shown.length, Math.ceil((grid.scrollTop + grid.clientHeight) / height) + AHEAD);
      for (const [at, node] of drawn) if (at < from || at >= to) { node.remove(); drawn.delete(at); }
      const fresh = [];
      for (let at = from; at < to; at++) if (!drawn.has(at)) { drawn.set(at, drawRow(at)); fresh.push(drawn.get(at)); }
      space.append(...fresh);
    };
    const place = () => shown.findIndex((row) => rows[row][0] === state.id);
    const reveal = (at) => {
      const top = at * height, room = grid.clientHeight - head.offsetHeight;
      if (top < grid.scrollTop) grid.scrollTop = top;
      else if (top + height > grid.scrollTop + room) grid.scrollTop = top + height - room;
    };
    const revealSystem = (system) => {
      const column = head.children[2 + system], id = head.children[0].offsetWidth;
      const [left, right] = [column.offsetLeft - id - 20, column.offsetLeft + column.offsetWidth + 10];
      if (left < grid.scrollLeft) grid.scrollLeft = left;
      else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth;
    };
    const choose = (at, away = true) => {
      if (at < 0 || at >= shown.length) return;
      state.id = rows[shown[at]][0];
      state.show = "";
      remember();
      open(away);
    };
    const move = (by) => choose(Math.max(0, Math.min(shown.length - 1, place() < 0 ? 0 : place() + by)), false);

    // ---- The details of a problem
    let latest = 0, last = -1;
    const close = () => {
      state.id = state.show = "";
      remember();
      open();
      grid.focus({ preventScroll: true });
    };
    const open = async (away = false) => {
      const ticket = ++latest;
      const row = rows.findIndex(([id]) => id === state.id && state.id !== "");
      detail.hidden = row < 0;
      $("viewer").classList.toggle("is-open", row >= 0);
      if (row >= 0) {
        const [problem, ...entries] = await details(row);
        if (ticket !== latest) return;
        const wanted = [systems.indexOf(state.show), firstFit(row), systems.indexOf(state.system), ...all];
        const system = wanted.find((at) => entries[at]);
        const held = detail.contains(document.activeElement) ? document.activeElement.title : "";
        detail.replaceChildren(...describe(row, problem, entries, system));
        connectFigure();
        reachBoxes();
        if (held) ([...detail.querySelectorAll("button:enabled")].find((one) => one.title === held) ?? detail).focus();
        if (row !== last) detail.scrollTop = 0;
        revealSystem(system ?? 0);
        if (away && getComputedStyle($("viewer")).display !== "grid") detail.scrollIntoView();
      } else detail.replaceChildren();
      last = row;
      const at = place();
      for (const [number, node] of drawn) node.setAttribute("aria-selected", String(number === at));
      if (at >= 0) { reveal(at); grid.setAttribute("aria-activedescendant", `row-${at}`); }
      else grid.removeAttribute("aria-activedescendant");
      draw(false);
    };
    const show = (system) => { state.show = systems[system]; remember(); open(); };
    const solutionText = (one) => {
      if (!kinds.length) return `answer ${one[2] ? "right" : "wrong"}`;
      const [right, all] = tally(one, kinds.indexOf(state.kind)) ?? tally(one, -1);
      return `${right}/${all} right`;
    };

    // The samples of a problem are rows of their own; the details lead from one to the others.
    const nameOf = (row) => {
      const name = rows[row][0], cut = index.samples.length ? name.lastIndexOf(" #") : -1;
      return cut < 0 ? [name] : [name.slice(0, cut), name.slice(cut + 2)];
    };
    const siblings = (row, system = 0) => {
      if (!index.samples.length) return [];
      const own = byId.filter((other) => index.samples[other] === index.samples[row]);
      if (own.length < 2) return [];
      const right = own.filter((other) => entry(other, system)?.[0] === 0).length;
      const press = (other) => { state.id = rows[other][0]; remember(); open(); };
      const buttons = own.map((other) => {
        const listed = entry(other, system), [name, icon] = listed ? index.statuses[listed[0]] : ["none", "–"];
        const given = { type: "button", title: `Sample ${nameOf(other)[1]}: ${name}`, "aria-pressed": String(other === row) };
        return el("button", { ...given, onclick: () => press(other) }, `#${nameOf(other)[1]} `,
          el(`b.verdict.is-${name}`, null, icon));
      });
      return el("div.samples", { role: "group", "aria-label": "Samples" }, buttons,
        el("span.note", null, `${right} of ${own.length} derivations right`));
    };
    const describe = (row, problem, entries, system) => {
      const id = rows[row][0], at = place(), one = entries[system];
      const button = (text, title, onclick, disabled = false) =>
        el("button", { type: "button", title, "aria-label": title, disabled, onclick }, text);
      const head = el("header", null,
        el("h3", null, `Problem ${id}`),
        el("span.note", null, at < 0 ? "not in this selection" : `${at + 1} of ${shown.length}`),
        el("span.buttons", null,
          button("‹", "Previous problem (k)", () => move(-1), at <= 0),
          button("›", "Next problem (j)", () => move(1), at < 0 || at === shown.length - 1),
          button("Copy link", "Copy a link to this view", (event) => copy(location.href, event.currentTarget)),
          button("Copy Markdown", "Copy this problem as Markdown", (event) =>
            copy(markdown(row, problem, entries), event.currentTarget)),
          button("✕", "Close (Esc)", close)));
      const card = (other) => {
        const listed = entry(row, other);
        const given = { type: "button", title: `Show ${systems[other]}`, "aria-pressed": String(other === system) };
        return el("button", { ...given, onclick: () => show(other) },
          el("span.line", null, el("strong", null, systems[other]), verdictMark(listed)),
          el("small", null, [listed[1] ? reasons[listed[1]] : "", solutionText(listed), mended(listed)].filter(Boolean).join(" · ")),
          el("span.message", null, entries[other].message));
      };
      const present = all.filter((other) => entries[other]);
      const cards = el("div.systems", { role: "group", "aria-label": "Systems" }, present.map(card));
      if (kinds.length) return [head, cards, ...describeVariants(problem, entries, system)];
      if (!one) return [head, siblings(row, system), cards, figure(problem, {}), gold(problem)];
      const left = el("div.own", null,
        el("h4", null, `${one.isAnswer ? "Answer" : "Prediction"} of ${systems[system]}`),
        one.witness && el("p.witness", null, el("b", null, "Witness: "), one.witness, "."),
        one.isAnswer && !entry(row, system)[0] &&
          el("p.note", null, `The derivation is right in ${one.certain ? "every" : "some"} reading of its numbers.`),
        one.isAnswer ? answer(one, entry(row, system)[3]) : el("pre.given", null, one.given || "nothing"));
      const right = el("div.compared", null, figure(problem, one), gold(problem));
      return [head, siblings(row, system), cards, el(one.isAnswer ? "div.beside" : "div.beside.is-short", null, left, right)];
    };

    // ---- A problem with its variants: both texts with the changes marked, and the answers of each system
    const MARKS = [["✗", "wrong"], ["✓", "right"], ["–", "no number"], ["!", "answered anyway"]];
    const changed = (pieces, before) => pieces.map((piece) => {
      if (isText(piece)) return piece;
      const [old, fresh] = piece, shown = before ? old : fresh;
      if (!shown) return before ? [] : el("del", { title: "removed" }, old);
      return el("mark", { title: before ? `becomes: ${fresh || "nothing"}` : `before: ${old || "nothing"}` }, shown);
    });
    const answerOf = ([mark, numbers, text]) => {
      const [sign, meaning] = MARKS[mark];
      const said = el("b", { className: `answer is-${["wrong", "right", "none", "wrong"][mark]}`, title: meaning },
        el("span", { "aria-hidden": "true" }, `${sign} `), el("span.dd-spoken", null, `${meaning}: `), numbers || "no number");
      return text ? el("details.said", null, el("summary", null, said), el("pre.given", null, text)) : said;
    };
    const describeVariant = (variant, at, entries, system) => {
      const present = all.filter((other) => entries[other]?.rows[at]);
      const answers = present.map((other) => el(other === system ? "div.is-shown" : "div", null,
        el("dt", null, systems[other]), entries[other].rows[at].map((one) => el("dd", null, answerOf(one)))));
      const isOriginal = variant.text.every(isText);
      return el(`section.variant${isOriginal ? ".is-original" : ""}`, { "aria-label": variant.id },
        el("h5", null, el("span.kind", null, variant.kind), ` ${variant.id} `, el("small", null, variant.about)),
        !isOriginal && el("p.text.is-before", null, changed(variant.text, true)),
        el("p.text", null, changed(variant.text, false)),
        el("div.answers", null, el("p.solution", null, "Gold: ", el("b", null, variant.solution)), el("dl", null, answers)));
    };
    const describeVariants = (problem, entries, system) => {
      const one = entries[system] ?? {};
      const explanations = one.explanations?.map(([sentence, notation, explained, count]) => el("li", null, sentence,
        notation && el("code", null, notation), el("span.note", null, `explains ${explained} of ${count} answers`)));
      return [
        el("div.variants", null, problem.variants.map((variant, at) => describeVariant(variant, at, entries, system))),
        el("div.explained", null,
          explanations && [el("h4", null, `What explains the answers of ${systems[system]}`),
            el("ol.explanations", null, explanations)],
          one.others && el("p.note", null, `${one.others} more derivations explain as many.`),
          one.slips && el("p.note", null, `Not explained by it: ${one.slips.join(", ")}`),
          problem.gold && el("div.compared", null, figure(problem, one), gold(problem))),
      ];
    };

    const told = (pairs) => pairs.filter(([, texts]) => texts?.length).map(([name, texts]) => [name, [texts].flat()]);
    const list = (pairs) => el("dl.facts", null,
      told(pairs).map(([name, texts]) => [el("dt", null, name), texts.map((text) => el("dd", null, text))]));
    const facts = ({ gold, solutions, roles, asked, alternatives, findings, correction }) => [
      ["Derivation", gold.notation],
      ["Solutions", solutions],
      ["Unknowns", roles?.map(([name, role]) => `${name}: ${role}`)],
      ["Asked for", asked?.join(", ")],
      ["Other derivations", alternatives],
      ["Known defects", findings?.join(", ")],
      ["Corrected", correction && `by edition ${correction[0]}, ${correction.slice(1).filter(Boolean).join(": ")}`],
    ];
    const gold = (problem) => el("div.gold", null, el("h4", null, "Gold"), list(facts(problem)));

    const BLANK = /[^\S\n]*\n(?:[^\S\n]*\n)+/;
    const marked = (part) => {
      // Blank lines become gaps: what decides should be seen without scrolling.
      if (isText(part)) return part.split(BLANK).map((text, at) => [at > 0 && el("span.dd-gap"), text]);
      const [kind, ...inside] = part;
      const spoken = (text) => el("span.dd-spoken", null, `${text}: `);
      const parts = inside.map((text) => (isText(text) ? text : el("b.dd-out", null, spoken("result"), text[0])));
      if (kind === "cut") return el("span.dd-cut", null, parts);
      if (kind === "result") return parts;
      const tag = kind === "set-up" || kind === "slip" ? el("span.dd-tag", null, kind) : spoken(kind);
      return el(`mark.dd-mark.dd-${kind}`, null, tag, parts);
    };
    const describeStep = (step) => {
      const expected = step.expected && !step.because?.includes(step.expected) && ` (expected ${step.expected})`;
      return el(step.first ? "li.is-first" : "li", { value: step.number },
        el(`span.step.is-${step.kind}`, null, step.kind),
        step.first && el("b", null, step.certain ? " first error" : " first error, likely"),
        " ", step.text, step.function && el("code", null, step.function),
        step.because && el("span.note", null, step.because, expected));
    };
    const legend = () => el("details", null, el("summary", null, "Marks"),
      el("ul.dd-answer.dd-legend", null, Object.entries(index.marks).map(([kind, meaning]) => {
        const example = el(kind === "result" ? "b.dd-out" : `span.dd-mark.dd-${kind}`, null, kind);
        return el("li", null, example, " ", el("small", null, meaning));
      })));
    const answer = (one, length) => [
      el("div.dd-answer.dd-text", null, one.answer?.map(marked) ?? el("i", null, "an empty answer")),
      el("p.note", null, `${length.toLocaleString("en")} characters`),
      legend(),
      one.more && [el("h5", null, "Other columns"), list(one.more)],
      one.reading && [el("h5", null, "What was read"), list(one.reading)],
      one.steps && [el("h5", null, "Steps"), el("ol.steps", null, one.steps.map(describeStep))],
      one.moreSteps && el("p.note", null, `${one.moreSteps} more steps are left out.`),
    ];

    // ---- The figure: the text between two derivations. The browser lays words out, and curves are drawn between them.
    const figure = (problem, one) => {
      const pieces = problem.question ?? [], sides = { above: one.side, below: problem.gold };
      const numbers = pieces.filter((piece) => !isText(piece));
      const own = new Map(numbers.map(([, label, number]) => [label, number]));
      const used = new Set([one.side, problem.gold].flatMap((side) => side?.slots ?? []).map(([, label]) => label));
      const classes = [...new Set([...used].map((label) => own.get(label)))].sort((a, b) => a - b);
      const colour = (label) => (classes.includes(own.get(label)) ? `dd-${classes.indexOf(own.get(label)) % 8}` : "");
      const chip = ([text, label]) => {
        const isSame = ([, other, number]) => other !== label && number === own.get(label);
        const title = [label, ...numbers.filter(isSame).map(([, other]) => other)].join(" = ");
        const kind = used.has(label) ? "used" : colour(label) ? "equivalent" : "unused";
        const node = el(`span.number.is-${kind}`, { title }, text, el("sub", null, label));
        if (colour(label)) node.classList.add(colour(label));
        node.dataset.label = label;
        return node;
      };
      // Only white space ends a word, so that curves pass between words.
      const words = [[]];
      for (const piece of pieces) {
        if (!isText(piece)) words.at(-1).push(chip(piece));
        else piece.split(" ").forEach((run, at) => (at ? words.push([run]) : words.at(-1).push(run)));
      }
      const slotChip = (name, side, differing) => {
        const [, label, , wanted] = side.slots?.find(([slot]) => slot === name) ?? [];
        const title = label ? `slot ${name} takes ${label}${wanted ? `; gold has ${wanted}` : ""}` : name;
        const node = el("span.slot", { title }, name);
        if (label && colour(label)) node.classList.add(colour(label));
        if (wanted || differing.includes(name)) node.classList.add("differs");
        node.dataset.slot = name;
        return node;
      };
      const signs = (text) => text.replaceAll("*", "·").replaceAll("-", "−");
      const equations = (side, differing = []) => el("div.equations", null, side.equations?.map((equation) => {
        const parts = equation.split("\n"); // every second one is a slot
        const term = (part, at) => (at % 2 ? slotChip(part, side, differing) : signs(part));
        return el("span.equation", null, parts.map(term));
      }));
      const caption = (side, verdict = "") => el("p.caption", null,
        el("b", { className: verdict }, side.name[0].toUpperCase() + side.name.slice(1), side.note && `: ${side.note}`),
        " ", el("code", null, side.notation));
      const right = /^the same derivation/.test(one.side?.note);
      const box = el("div.figure.dd-figure", { role: "figure", "aria-label": "Question, prediction and gold" },
        one.side && [caption(one.side, right ? "yes" : "no"), equations(one.side)],
        el("p.text", null, words.map((word) => [el("span.word", null, word), " "])),
        equations(problem.gold, one.goldDiffers), caption(problem.gold));
      box.curves = { sides, own, colour, numbers };
      return box;
    };
    // A curve drops through a gap between two words of every line that it passes: the free one nearest to its wish.
    const curve = ([x, y], lines, end) => {
      let path = `M${x} ${y}`;
      const bend = (toX, toY) => {
        path += `C${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2} ${toX} ${toY}`;
        [x, y] = [toX, toY];
      };
      const down = end[1] > y;
      for (const [line, wish] of lines) {
        const free = line.gaps.filter((gap) => !line.taken.has(gap));
        const distance = (gap) => Math.abs(gap - wish);
        const nearest = (best, gap) => (distance(gap) < distance(best) ? gap : best);
        const gap = (free.length ? free : line.gaps).reduce(nearest);
        line.taken.add(gap);
        bend(gap, down ? line.top : line.bottom);
        y = down ? line.bottom : line.top;
        path += `V${y}`;
      }
      bend(...end);
      return path;
    };
    const connectFigure = () => {
      const box = detail.querySelector(".figure");
      if (!box) return;
      box.querySelector("svg")?.remove();
      const { sides, own, colour, numbers } = box.curves, frame = box.getBoundingClientRect();
      const measure = (node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        const [x, y] = [frame.left, frame.top];
        return { left: left - x, right: right - x, top: top - y, bottom: bottom - y, x: (left + right) / 2 - x };
      };
      const linesOf = (nodes) => {
        const lines = [];
        for (const at of [...nodes].map(measure)) {
          const line = lines.at(-1);
          if (line && at.top < line.bottom - 4 && at.left >= line.right - 1) {
            line.gaps.push((line.right + at.left) / 2);
            line.right = at.right;
            line.top = Math.min(line.top, at.top);
            line.bottom = Math.max(line.bottom, at.bottom);
          } else lines.push({ ...at, gaps: [at.left - 6], taken: new Set() });
        }
        for (const line of lines) for (let gap = line.right + 6; gap < frame.width - 4; gap += 6) line.gaps.push(gap);
        return lines;
      };
      const svg = document.createElementNS(NS, "svg");
      svg.setAttribute("aria-hidden", "true");
      const text = linesOf(box.querySelectorAll(".word")), blocks = [...box.querySelectorAll(".equations")];
      const chips = new Map([...box.querySelectorAll(".number")].map((node) => [node.dataset.label, measure(node)]));
      for (const [name, side] of Object.entries(sides)) {
        const up = name === "above", block = up ? blocks[0] : blocks.at(-1);
        const equations = linesOf(block.querySelectorAll(".equation"));
        const holds = new Set(side?.slots?.map(([, label]) => label));
        for (const [slot, label] of side?.slots ?? []) {
          const goal = [...block.querySelectorAll(".slot")].find((node) => node.dataset.slot === slot);
          if (!goal) continue;
          const same = (other) => own.get(other) === own.get(label) && !holds.has(other);
          const sources = numbers.map(([, other]) => other).filter((other) => other === label || same(other));
          for (const [at, source] of sources.entries()) {
            const from = chips.get(source), to = measure(goal);
            const start = [from.x, up ? from.top : from.bottom];
            const end = [to.x + 7 * (at - (sources.length - 1) / 2), up ? to.bottom : to.top];
            const [low, high] = [start[1], end[1]].sort((a, b) => a - b);
            const wishes = [...text.map((line) => [line, from.x]), ...equations.map((line) => [line, to.x])];
            const passed = wishes.filter(([line]) => line.top >= low - 3 && line.bottom <= high + 3);
            if (up) passed.sort(([a], [b]) => b.top - a.top);
            const path = document.createElementNS(NS, "path");
            const kind = source !== label ? " dd-same" : goal.classList.contains("differs") ? " dd-differs" : "";
            path.setAttribute("class", `dd-arc ${colour(label)}${kind}`);
            path.setAttribute("d", curve(start, passed, end));
            svg.append(path);
          }
        }
      }
      box.prepend(svg);
    };
    // A box that can be scrolled must be reachable by keyboard, and only that.
    const reachBoxes = () => {
      for (const box of document.querySelectorAll(".wide, .dd-text, pre.given")) {
        if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      }
    };

    // ---- Copies and files
    const copy = async (text, button) => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Without permission, or where the clipboard is not offered to files.
        const field = el("textarea.copied", { value: text });
        document.body.append(field);
        field.select();
        document.execCommand("copy");
        field.remove();
        button.focus();
      }
      const label = button.textContent;
      if (label === "Copied") return;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 1200);
    };
    const plain = (text) => text.replace(/[\\`*_[\]<>#|~$&]/g, "\\$&");
    const fenced = (text) => {
      const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
      const fence = "`".repeat(longest + 1);
      return `${fence}\n${text}\n${fence}`;
    };
    const markdownVariants = (problem, entries) => problem.variants.flatMap((variant, at) => [
      `**${plain(variant.kind)} ${plain(variant.id)}**: ${plain(textOfPieces(variant.text))} (gold: ${plain(variant.solution)})`,
      all.filter((system) => entries[system]?.rows[at]).map((system) => {
        const said = entries[system].rows[at].map(([mark, numbers]) => `${numbers || "no number"} (${MARKS[mark][1]})`);
        return `- ${plain(systems[system])}: ${plain(said.join("; "))}`;
      }).join("\n"),
    ]);
    const markdown = (row, problem, entries) => [
      `### Problem ${plain(rows[row][0])} (${plain(index.title)})`,
      `> ${plain(question(problem))}`,
      problem.gold && told(facts(problem)).map(([name, texts]) => `- ${name}: ${plain(texts.join("; "))}`).join("\n"),
      ...(kinds.length ? markdownVariants(problem, entries) : []),
      ...all.filter((system) => entries[system]).flatMap((system) => {
        const listed = entry(row, system), one = entries[system];
        const verdict = `${statuses[listed[0]]} (${reasons[listed[1]]}), ${solutionText(listed)}`;
        const witness = one.witness ? ` Witness: ${plain(one.witness)}.` : "";
        const words = `**${plain(systems[system])}**: ${verdict}. ${plain(one.message ?? "")}${witness}`;
        if (kinds.length) return [words, ...(one.explanations ?? []).map(([sentence]) => `- ${plain(sentence)}`)];
        return [words, given(one) ? fenced(given(one)) : "no prediction"];
      }),
    ].filter(Boolean).join("\n\n") + "\n";
    const record = (row, problem, system, one) => {
      const [status, reason, solution, length, error] = entry(row, system);
      return {
        id: nameOf(row)[0], ...(index.samples.length && { sample: nameOf(row)[1] ?? "" }), system: systems[system], verdict: statuses[status], reason: reasons[reason],
        solution: solution ? "right" : "wrong", first_error: index.steps[error] ?? "", length,
        message: one.message ?? "", witness: one.witness ?? "", derivation: one.side?.notation ?? "",
        gold: problem.gold.notation ?? "", question: question(problem), given: given(one),
        ...(one.more && { columns: one.more.map(([name, text]) => `${name}: ${text}`).join("; ") }),
      };
    };
    // With variants, a line for each answer.
    const variantRecords = (row, problem, system, one) => one.rows.flatMap((answers, at) => (answers ?? []).map(
      ([mark, numbers, text], sample) => ({
        problem: rows[row][0], id: problem.variants[at].id, kind: problem.variants[at].kind, system: systems[system],
        sample: sample + 1, answer: MARKS[mark][1], numbers, gold: problem.variants[at].solution,
        derivation: statuses[entry(row, system)[0]], error: reasons[entry(row, system)[1]], message: one.message ?? "",
        question: textOfPieces(problem.variants[at].text), given: text ?? "",
      })));
    // ---- What is printed: the problems that are shown, with their answers and marks if they are few
    const PRINTED = 100; // problems of which the answers are printed
    const MOST_PRINTED = 2000;
    const printed = el("div", { id: "printed" });
    $("viewer").after(printed);
    const printedRow = (row, problem, entries) => el("section.printed", null,
      el("h4", null, `Problem ${rows[row][0]}`), el("p", null, problem ? question(problem) : rows[row][1]),
      all.filter((system) => entry(row, system)).map((system) => {
        const listed = entry(row, system), one = entries?.[system];
        return [
          el("p", null, el("strong", null, systems[system]), " ", verdictMark(listed), ` · ${solutionText(listed)} · `,
            one ? one.message : reasons[listed[1]], one?.more?.map(([name, text]) => ` · ${name}: ${text}`)),
          one?.isAnswer && el("div.dd-answer.dd-text", null, one.answer?.map(marked) ?? "an empty answer"),
          one?.given && el("pre.given", null, one.given),
        ];
      }));
    let printing = 0;
    const preparePrint = async () => {
      const ticket = ++printing, now = [...shown];
      printed.replaceChildren();
      if (now.length > PRINTED) return;
      const found = [];
      for (const row of now) {
        const [problem, ...entries] = await details(row);
        if (ticket !== printing) return;
        found.push(printedRow(row, problem, entries));
      }
      printed.replaceChildren(...found);
    };
    window.addEventListener("beforeprint", () => {
      if (shown.length <= PRINTED) return;
      const told = `Answers are printed if the list has at most ${PRINTED} problems: filter it first.`;
      printed.replaceChildren(el("p", null, told), ...shown.slice(0, MOST_PRINTED).map((row) => printedRow(row)));
    });
    const records = async () => {
      const found = [];
      for (const row of shown) {
        const [problem, ...entries] = await details(row);
        const make = kinds.length ? variantRecords : record;
        for (const system of focus()) if (entries[system]) found.push(make(row, problem, system, entries[system]));
      }
      return found.flat();
    };
    // A spreadsheet would run a cell that begins like a formula; an apostrophe makes it text.
    const csvCell = (value) => `"${String(value).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
    const csv = (found) => [Object.keys(found[0] ?? {}), ...found.map((one) => Object.values(one))]
      .map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
    const save = async (name, type, write) => {
      const href = URL.createObjectURL(new Blob([write(await records())], { type }));
      el("a", { href, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(href), 10_000);
    };
    $("csv").onclick = () => save("answers.csv", "text/csv", csv);
    const json = (found) => `${JSON.stringify(found, null, 1)}\n`;
    $("json").onclick = () => save("answers.json", "application/json", json);

    // ---- Events
    let waiting = 0;
    form.addEventListener("input", (event) => {
      read();
      remember();
      clearTimeout(waiting);
      waiting = setTimeout(apply, event.target.name === "q" ? 120 : 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    // The fields are empty only after the event.
    form.addEventListener("reset", () => setTimeout(() => { read(); remember(); apply(); }));
    form.elements.q.addEventListener("focus", readTexts, { once: true });
    window.addEventListener("hashchange", async () => {
      restore();
      await apply();
      $("answers").scrollIntoView();
    });
    let frame = 0;
    const drawSoon = () => { frame ||= requestAnimationFrame(() => { frame = 0; draw(false); }); };
    grid.addEventListener("scroll", drawSoon, { passive: true });
    window.addEventListener("resize", () => { draw(false); reachBoxes(); });
    new ResizeObserver(() => { connectFigure(); draw(false); }).observe(detail);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.closest?.("input, select, textarea"), inList = event.target === grid;
      const page = Math.max(1, Math.floor(grid.clientHeight / height) - 2);
      const keys = {
        Escape: () => (typing ? typing.blur() : close()),
        ...(!typing && {
          "/": () => { form.elements.q.focus(); form.elements.q.select(); form.scrollIntoView({ block: "nearest" }); },
          j: () => move(1), k: () => move(-1),
          s: () => {
            const own = [...detail.querySelectorAll(".systems button")];
            own[(own.findIndex((one) => one.ariaPressed === "true") + 1) % own.length]?.click();
          },
        }),
        ...(inList && {
          ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page),
          Home: () => choose(0, false), End: () => choose(shown.length - 1, false),
          Enter: () => (place() < 0 ? choose(0) : detail.focus()),
        }),
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });

    if (window.innerWidth < 640) for (const fold of document.querySelectorAll("details.fold")) fold.open = false;
    for (const part of [form, $("viewer"), document.querySelector(".told")]) part.hidden = false;
    const asked = restore();
    await apply();
    if (asked) $("answers").scrollIntoView();
    document.documentElement.dataset.ready = "1";
  };

  start().catch((error) => {
    trouble.textContent = `The answers could not be shown (${error.message}). Is the file complete? Write it again.`;
    trouble.hidden = false;
  });
})();
