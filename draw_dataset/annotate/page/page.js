// Runs once the page's Gradio component is there. Gradio gives `element`, the component, and `server`, whose function
// `answer` sends one message to the server and returns what to show. What the page shows is the server's; here live only
// which value is asked about, whether equivalents are being marked, the clock, and messages that are not sent yet.
//
// What is done waits for its turn, and its message is made then, of what is shown then: whoever types faster than the
// server answers loses no key. But what was done to one problem never counts for the next, which nobody had seen yet.

const IDLE_SECONDS = 60; // a pause beyond this is not work
const RETRY_MILLISECONDS = 1000;
const WIDTHS = [280, 900]; // of a figure, as the server draws it

const stage = element;
const waiting = []; // functions that return the next message, or null
let sending = false;
let literal = null; // the value of the equations that is asked about
let marking = false; // whether equivalents are being marked
let guessing = false; // whether the figure shows guesses for open values; off again after a reload
let shownWork = ""; // which problem, in which state, is shown
let focusByTab = false;
let typedAhead = null; // what is typed for a dialog or field that waits for its turn to open
let released = Promise.resolve(); // until the pointer is up: what it presses must not be replaced under it
let handedIn = null; // the form of a dialog that is being sent; if it is refused, the dialog opens again with its text
let replacing = false; // whether the page is being replaced, which takes the focus from its fields

const root = () => stage.querySelector("#draw");
const all = (selector) => Array.from(stage.querySelectorAll(selector));
const one = (selector) => stage.querySelector(selector);
const dialogOpen = () => one("dialog[open]") !== null;

// ---- the clock: gaps between signs of life, each up to a bound, while the page is seen ----------------------------

const clock = { spent: 0, last: performance.now() };

function tick() {
  const now = performance.now();
  if (!document.hidden) clock.spent += Math.min((now - clock.last) / 1000, IDLE_SECONDS);
  clock.last = now;
}

// The time since the last decision outlives a reload, and a look at another problem.
function keepClock() {
  try {
    if (shownWork) sessionStorage.setItem(`draw-clock ${shownWork}`, clock.spent);
  } catch (error) {
    // A browser that keeps nothing counts from the reload on.
  }
}

function startClock(work) {
  clock.spent = 0;
  clock.last = performance.now();
  try {
    clock.spent = Number(sessionStorage.getItem(`draw-clock ${work}`)) || 0;
  } catch (error) {
    // As above.
  }
}

function showClock() {
  const place = one("[data-clock]");
  if (!place) return;
  const idle = (performance.now() - clock.last) / 1000;
  const running = document.hidden ? 0 : Math.min(idle, IDLE_SECONDS);
  const seconds = Math.floor(Number(root().dataset.spent) + clock.spent + running);
  place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

for (const sign of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
  document.addEventListener(sign, tick, { capture: true, passive: true });
}
document.addEventListener("visibilitychange", () => {
  // What was seen until now counts; what is hidden does not.
  const now = performance.now();
  if (document.hidden) clock.spent += Math.min((now - clock.last) / 1000, IDLE_SECONDS);
  clock.last = now;
  keepClock();
});
window.addEventListener("pagehide", keepClock);
setInterval(showClock, 1000);

// ---- talking to the server ----------------------------------------------------------------------------------------

// Puts something off until its turn; `make` returns a message, or null if nothing is to be sent.
function send(make) {
  const about = root()?.dataset.problem;
  waiting.push(() => (root()?.dataset.problem === about ? make() : null));
  if (!sending) work();
}

async function work() {
  sending = true;
  while (waiting.length) {
    const message = waiting.shift()();
    if (!message) continue;
    const answer = await delivered(message);
    await released;
    show(answer, message);
  }
  sending = false;
  typedAhead = null;
  stage.removeAttribute("aria-busy");
}

async function delivered(message) {
  stage.setAttribute("aria-busy", "true");
  const envelope = { ...base(), ...message };
  for (let tries = 0; ; tries++) {
    const answer = await server.answer(envelope);
    if (answer) {
      connection("");
      return answer;
    }
    connection(
      "The server does not answer. What was confirmed is saved. The last step is sent again until the server confirms it. " +
        "If this message stays, reload the page.",
    );
    if (tries % 3 === 2 && (await loggedOut())) location.reload();
    await new Promise((done) => setTimeout(done, RETRY_MILLISECONDS));
  }
}

async function loggedOut() {
  try {
    return (await fetch(location.href, { redirect: "manual", cache: "no-store" })).type === "opaqueredirect";
  } catch (error) {
    return false;
  }
}

function base() {
  const shown = root();
  const figure = one(".dp-figure");
  const envelope = figure ? { width: room(figure) } : {};
  if (guessing) envelope.guesses = true;
  if (shown && shown.dataset.problem) {
    tick();
    envelope.problem = shown.dataset.problem;
    envelope.seen = Number(shown.dataset.seen);
    envelope.seconds = Math.round(clock.spent * 1000) / 1000;
  }
  return envelope;
}

// Lines that stay while pages come and go, as only a change of what is there already is read aloud.
function lasting(id, role) {
  let line = document.getElementById(id);
  if (!line) {
    line = document.createElement("p");
    line.id = id;
    line.setAttribute("role", role);
    document.body.append(line);
  }
  return line;
}

function connection(text) {
  const line = lasting("dp-connection", "alert");
  if (line.textContent !== text) line.textContent = text;
  line.hidden = !text;
}

function readAloud() {
  const texts = [one("#dp-status"), one("[data-guide].is-shown")].map((line) => (line ? line.innerText : ""));
  const line = lasting("dp-aloud", "status");
  // The same words again are read again only if something about them is new.
  const said = texts.filter(Boolean).join(" ");
  line.textContent = line.textContent === said ? `${said}\u00a0` : said;
}

// ---- showing what came back ---------------------------------------------------------------------------------------

function show(answer, message) {
  const focused = document.activeElement && stage.contains(document.activeElement) ? document.activeElement.id : "";
  const before = root() ? root().dataset.problem : null;
  const said = one("#dp-status");
  const typing = fields().map((field) => ({ id: field.id, value: field.value, saved: field.defaultValue }));
  const cursor = isField(document.activeElement) ? document.activeElement.selectionStart : null;
  keepClock();
  replacing = true;
  stage.innerHTML = answer.html;
  replacing = false;
  document.title = answer.title;
  // A figure that is only drawn anew leaves standing what was said.
  if (message.fits && said) one("#dp-status").replaceWith(said);
  const shown = root();
  const other = before !== shown.dataset.problem;
  const state = `${shown.dataset.view}/${shown.dataset.problem}/${shown.dataset.seen}`;
  if (state !== shownWork) {
    startClock(state);
    shownWork = state;
  }
  showClock();
  if (other) {
    marking = false;
    literal = null;
    if (before !== null) window.scrollTo(0, 0);
  }
  if (shown.dataset.address !== location.search) {
    history.replaceState(null, "", location.pathname + shown.dataset.address);
  }
  if (literal === null || message.do === "choose" || !one(`[data-literal="${literal}"]`)) literal = nextOpen(literal);
  look();
  // What was typed and not yet sent stays, and so does the cursor.
  for (const { id, value, saved } of other ? [] : typing) {
    const field = document.getElementById(id);
    if (field && value !== saved) field.value = value;
  }
  const written = !other && cursor !== null ? document.getElementById(focused) : null;
  const again = written || (focused && focusByTab ? document.getElementById(focused) : null);
  (again && !again.disabled ? again : one("#dp-stage") || shown).focus({ preventScroll: true });
  if (written && !written.disabled) written.setSelectionRange(cursor, cursor);
  if (!again) focusByTab = false;
  const refused = handedIn && handedIn.do === message.do && !other && one("#dp-status")?.classList.contains("is-bad");
  if (refused) openAgain(handedIn);
  handedIn = null;
  readAloud();
  fit();
}

// The fields beside the buttons: what each unknown is, and an expression that is asked for.
function fields() {
  return all(".dp-meaning input");
}

function isField(element) {
  return Boolean(element) && stage.contains(element) && element.matches(".dp-meaning input");
}

function literals() {
  return all("[data-literal]").map((button) => Number(button.dataset.literal));
}

function open() {
  return all("[data-literal].is-open").map((button) => Number(button.dataset.literal));
}

function nextOpen(from) {
  const left = open();
  if (from !== null && from !== undefined) return left.find((one) => one > from) ?? left[0] ?? from;
  return left[0] ?? null;
}

function anchor() {
  const held = literal === null ? "" : one(`[data-literal="${literal}"]`).dataset.chosen;
  return held && held !== "0" ? held : root().dataset.anchor;
}

// Marks the value that is asked about and the numbers that it may come from, and shows the right line of guidance.
function look() {
  const current = literal === null ? null : one(`[data-literal="${literal}"]`);
  const fixed = root().dataset.fixed === "true";
  for (const button of all("[data-literal]")) {
    button.classList.toggle("is-current", button === current && !marking);
    if (button === current && !marking) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  const origins = current && !marking ? current.dataset.origins.split(" ") : [];
  const fits = current && !marking ? current.dataset.fits.split(" ") : [];
  const held = current && !marking ? current.dataset.chosen : "";
  const meant = marking ? anchor() : "";
  const same = meant ? (one(`[data-number="${meant}"]`)?.dataset.same || "").split(" ") : [];
  for (const button of all("[data-number]")) {
    const number = button.dataset.number;
    button.classList.toggle("is-candidate", !fixed && origins.includes(number));
    button.classList.toggle("is-held", Boolean(held) && held === number);
    button.classList.toggle("is-anchor", meant === number);
    button.classList.toggle("is-same", same.includes(number));
    const usable = !fixed && (marking ? mayMean(button, meant) : fits.includes(number));
    button.setAttribute("aria-disabled", String(!usable));
    button.tabIndex = usable ? 0 : -1;
    button.setAttribute("aria-pressed", String(marking ? same.includes(number) : Boolean(held) && held === number));
  }
  const guide = marking ? (meant ? "same" : "first") : current ? String(literal) : "none";
  for (const line of all("[data-guide]")) line.classList.toggle("is-shown", line.dataset.guide === guide);
  for (const place of all("[data-meant]")) place.textContent = meant ? `q${meant}` : "";
  root().classList.toggle("is-marking", marking);
  const toggle = one('[data-do="mark"]');
  if (toggle) toggle.setAttribute("aria-pressed", String(marking));
  return null;
}

// Only numbers of one value can mean the same.
function mayMean(button, meant) {
  const other = meant ? one(`[data-number="${meant}"]`) : null;
  if (button.dataset.number === "0" || button === other) return false;
  return !other || other.dataset.value === button.dataset.value;
}

function say(text) {
  const line = one("#dp-status");
  if (!line) return null;
  line.textContent = text;
  line.className = "dp-status is-note";
  readAloud();
  return null;
}

// ---- what can be done ---------------------------------------------------------------------------------------------

// Each of these runs when its turn has come, and returns the message to send, or null.

function pick(number) {
  const current = literal === null ? null : one(`[data-literal="${literal}"]`);
  if (!one(`[data-number="${number}"]`)) return null;
  if (root().dataset.fixed === "true") return say("Open the problem again to change it.");
  if (marking) return markSame(number);
  if (!literals().length) return say("The equations have no value that a number is chosen for.");
  if (!current) return say("Everything is decided. To change a value, click it in the equations first.");
  if (!current.dataset.fits.split(" ").includes(number)) {
    return say(`q${number} does not have the value ${current.dataset.text} that is asked about.`);
  }
  if (current.dataset.chosen === number) {
    literal = nextOpen(literal);
    return look();
  }
  return { do: "choose", literal: Number(current.dataset.literal), number: Number(number) };
}

function markSame(number) {
  const meant = anchor();
  if (number === "0" || meant === number) return null;
  if (!meant) {
    root().dataset.anchor = number;
    return look();
  }
  if (!mayMean(one(`[data-number="${number}"]`), meant)) return say(`q${number} and q${meant} have different values.`);
  const same = (one(`[data-number="${meant}"]`).dataset.same || "").split(" ");
  if (same.includes(number)) return { do: "apart", numbers: [Number(number)] };
  return { do: "same", numbers: [Number(meant), Number(number)] };
}

function move(step) {
  const among = open().length ? open() : literals();
  const at = among.indexOf(literal);
  literal = at < 0 ? (step > 0 ? among[0] : among.at(-1)) : among[(at + step + among.length) % among.length];
  look();
  readAloud();
  return null;
}

function showDialog(name) {
  const box = one(`#dp-${name}`);
  const ahead = typedAhead;
  typedAhead = null;
  if (!box || dialogOpen()) return null;
  box.showModal();
  if (box.matches(".is-beside")) uncoverText(box);
  const field = box.querySelector("textarea, select");
  if (field) {
    field.focus();
    if (ahead && field.setRangeText) field.setRangeText(ahead, field.selectionStart, field.selectionEnd, "end");
  } else {
    // The first link may be far below, and a dialog opens at what has the focus.
    box.querySelector(".dp-close").focus({ preventScroll: true });
    box.scrollTop = 0;
  }
  return null;
}

// A narrow page has the text, whose numbers are needed, above the dialog; it is scrolled until all of it is seen.
function uncoverText(box) {
  const text = one(".dp-question")?.getBoundingClientRect();
  const cover = box.getBoundingClientRect();
  if (!text || cover.left >= text.right) return;
  const bar = one(".dp-bar");
  const top = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  window.scrollBy(0, Math.min(Math.max(text.bottom - cover.top + 8, 0), text.top - top));
}

// The dialog whose form was refused, with the reason and with what was written in it.
function openAgain({ name, values }) {
  showDialog(name);
  const box = one(`#dp-${name}`);
  if (!box?.open) return;
  for (const [id, value] of values) document.getElementById(id).value = value;
  const reason = document.createElement("p");
  reason.className = "dp-trouble";
  reason.setAttribute("role", "alert");
  reason.textContent = one("#dp-status").textContent;
  const field = Array.from(box.querySelectorAll("form textarea, form input")).at(-1);
  field.before(reason);
  field.focus();
  box.querySelector("form [type=submit]").scrollIntoView({ block: "nearest" });
  field.setSelectionRange(field.value.length, field.value.length);
}

function openField(field) {
  const ahead = typedAhead;
  typedAhead = null;
  field.focus();
  field.select();
  if (ahead) field.setRangeText(ahead, field.selectionStart, field.selectionEnd, "end");
  return null;
}

// A role is sent when its field is left, if it is another one than before.
function keepRole(field) {
  const text = field.value;
  if (text.trim() === field.defaultValue.trim()) return;
  field.defaultValue = text;
  send(() => ({ do: "role", unknown: field.dataset.role, text }));
}

function addExpression(field) {
  const text = field.value.trim();
  field.value = "";
  if (!text) return;
  send(() => {
    const asked = JSON.parse(one("[data-asked]").dataset.asked) || [];
    return asked.includes(text) ? say(`${text} is asked for already.`) : { do: "asked", texts: [...asked, text] };
  });
}

const actions = {
  help: () => showDialog("help"),
  flag: () => showDialog("flag"),
  edit: () => showDialog("edit"),
  number: () => showDialog("number"),
  derivation: () => showDialog("derivation"),
  mark: () => {
    marking = !marking;
    look();
    readAloud();
    return null;
  },
  guesses: () => {
    guessing = !guessing;
    return { do: "open", own: root().dataset.address.includes("own"), fits: true };
  },
  submit: () => {
    const left = open().length;
    return left ? say(`${left === 1 ? "One value is" : `${left} values are`} still open.`) : { do: "submit" };
  },
};

function act(button) {
  if (!button) return null;
  if (button.disabled) return say(`${button.querySelector("span")?.textContent.trim() || "This"} is not possible now.`);
  if (isField(button)) return openField(button);
  const { do: name, key, ...told } = button.dataset;
  if (told.texts) told.texts = JSON.parse(told.texts);
  return actions[name] ? actions[name]() : { do: name, ...told };
}

function closeDialogs() {
  for (const box of all("dialog[open]")) box.close();
}

stage.addEventListener("click", (event) => {
  const target = event.target.closest("[data-do], [data-number], [data-literal], a[data-problem]");
  if (!target || !stage.contains(target)) return;
  if (target.matches("a[data-problem]")) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    send(() => ({ do: "open", problem: target.dataset.problem }));
  } else if (target.dataset.do === "close") {
    closeDialogs();
  } else if (target.dataset.do) {
    const inside = target.closest("dialog") !== null;
    if (inside) closeDialogs();
    send(() => act(inside ? target : document.getElementById(target.id)));
  } else if (target.dataset.number) {
    send(() => pick(target.dataset.number));
  } else {
    send(() => {
      literal = Number(target.dataset.literal);
      marking = false;
      return look();
    });
  }
});

stage.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-send]");
  if (!form) return;
  event.preventDefault();
  if (form.dataset.send === "asked") return addExpression(form.querySelector("input"));
  const text = form.querySelector("textarea, input").value;
  const select = form.querySelector("select");
  const which = select ? { which: Number(select.value) } : {};
  const box = form.closest("dialog");
  const values = Array.from(form.querySelectorAll("textarea, input, select")).map((field) => [field.id, field.value]);
  box.close();
  send(() => {
    handedIn = { do: form.dataset.send, name: box.id.slice("dp-".length), values };
    return { do: form.dataset.send, text, ...which };
  });
});

stage.addEventListener("focusin", (event) => {
  const target = event.target.closest("[data-literal]");
  if (target && focusByTab && Number(target.dataset.literal) !== literal) {
    literal = Number(target.dataset.literal);
    look();
  }
});

stage.addEventListener("focusout", (event) => {
  if (!replacing && event.target.matches("[data-role]")) keepRole(event.target);
});

document.addEventListener(
  "pointerdown",
  () => {
    focusByTab = false;
    released = new Promise((done) => {
      // After the click that follows it.
      const end = () => setTimeout(done, 0);
      for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, end, { capture: true, once: true });
      setTimeout(done, 2 * RETRY_MILLISECONDS);
    });
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (event.key === "Tab") focusByTab = true;
  if (!root() || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const typing = event.target.closest?.("textarea, input, select");
  if (dialogOpen()) {
    // Enter sends the form; a new line in a text is Shift and Enter.
    if (event.key === "Enter" && event.target.matches?.("textarea") && !event.shiftKey) {
      event.preventDefault();
      event.target.form.requestSubmit();
    } else if (event.key === "?" && !typing) {
      event.preventDefault();
      closeDialogs();
    }
    return;
  }
  if (typedAhead !== null) {
    if (event.key.length === 1) typedAhead += event.key;
    else if (event.key === "Backspace") typedAhead = typedAhead.slice(0, -1);
    event.preventDefault();
    return;
  }
  if (isField(event.target)) {
    // Enter keeps a role; Escape leaves the field as it was.
    if (event.key === "Escape") event.target.value = event.target.defaultValue;
    if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("[data-role]"))) {
      event.preventDefault();
      (one("#dp-stage") || root()).focus({ preventScroll: true });
    }
    return;
  }
  if (typing || event.repeat) return;
  const active = document.activeElement;
  const onControl = focusByTab && active && stage.contains(active) && active.matches("button, a, summary");
  if (onControl && (event.key === "Enter" || event.key === " ")) return;
  if (!means(event.key)) {
    // A key that does nothing says so, but not those that scroll, move the focus or belong to the browser.
    if (event.key.length === 1 && event.key !== " ") say(`The key ${event.key} does nothing here. Press ? for a list of keys.`);
    return;
  }
  event.preventDefault();
  const meant = byKey(event.key);
  if (sending && (isField(meant) || ["flag", "edit", "derivation"].includes(meant?.dataset.do))) typedAhead = "";
  send(() => command(event.key));
});

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function byKey(key) {
  const next = key === "Enter" && !one('[data-do="submit"]') ? one('.is-main[data-do="next"]') : null;
  return next || one(`[data-key="${CSS.escape(key)}"]`);
}

function byShortcut(key) {
  return one(`[data-shortcut="${CSS.escape(key)}"]`);
}

function means(key) {
  // The arrows scroll where there is nothing to move between.
  if (STEPS[key]) return literals().length > 0;
  return (key === "Escape" && marking) || byKey(key) !== null || byShortcut(key) !== null;
}

function command(key) {
  if (STEPS[key]) return literals().length ? move(STEPS[key]) : null;
  if (key === "Escape") return marking ? actions.mark() : null;
  return byKey(key) ? act(byKey(key)) : byShortcut(key) ? pick(byShortcut(key).dataset.number) : null;
}

// The figure is drawn anew if the room for it has become another.
function fit() {
  const figure = one(".dp-figure");
  const off = figure ? Math.abs(room(figure) - Number(figure.dataset.width)) : 0;
  const own = root().dataset.address.includes("own");
  if (off > 24) send(() => (dialogOpen() ? null : { do: "open", own, fits: true }));
}

function room(figure) {
  return Math.max(WIDTHS[0], Math.min(WIDTHS[1], Math.round(figure.clientWidth)));
}

let resizing = 0;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(fit, 300);
});

const address = new URLSearchParams(location.search);
send(() => ({ do: "open", own: address.has("own"), problem: address.get("problem") }));
