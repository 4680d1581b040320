// A remote agent in Node.js (18 or newer) without packages, written from docs/protocol.md.
//
//   SYNAPSE_URL=http://127.0.0.1:8000 AGENT_ID=ada AGENT_SECRET=whsec_… node agent.mjs
//   node agent.mjs --vectors tests/protocol/signature_vectors.json
//
// By mailbox, or with AGENT_PORT at an endpoint of its own. It offers `count_words`, like
// its sister in Python: asks for the text if there is none, and for leave if told to.

import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const TOLERANCE_S = 300;
const BEAT_MS = 30_000;
const POLL_MS = 500;
const MANY_WORDS = 1000;
const RETRY_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000];
const MAX_BYTES = 8 * 1024 * 1024;
const MEMORY = 10_000;
// "retry may help" in the table of errors.
const MAY_PASS = new Set([
  1000, 1001, 1003, 2019, 2021, 4007, 4008, 6006, 6008, 6009,
]);
const STATUS = { 1011: 400, 1015: 415, 1016: 413, 2001: 404, 4001: 422, 4002: 422,
  4007: 429, 5007: 401, 5008: 401, 6001: 400, 6002: 422, 6003: 422, 6004: 422, 6005: 409 };
const TYPES = ["task_request", "task_confirm", "task_reject", "task_status_update",
  "task_complete", "task_failed", "task_cancel", "task_ack", "task_need_info",
  "task_info_provided", "task_need_human", "human_decision", "capability_query",
  "capability_response", "heartbeat", "ack", "nack"].map((name) => `p2p:${name}`);
const FROM_EXECUTOR = new Set(["task_confirm", "task_reject", "task_status_update",
  "task_complete", "task_failed", "task_need_info", "task_need_human"]
  .map((name) => `p2p:${name}`));

// -- Signature -------------------------------------------------------------------------

class Refusal extends Error {
  constructor(code, message, details = {}, retryAfter = null) {
    super(message);
    this.error = { code, message, details, retry_after: retryAfter };
  }
}

function signature(secret, id, seconds, body) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const text = Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]);
  return "v1," + createHmac("sha256", key).update(text).digest("base64");
}

function sign(secrets, id, body) {
  const seconds = Math.floor(Date.now() / 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((one) => signature(one, id, seconds, body)).join(" "),
  };
}

function verify(secrets, headers, body, now = Math.floor(Date.now() / 1000)) {
  const id = headers["webhook-id"] ?? "";
  const seconds = headers["webhook-timestamp"] ?? "";
  if (!/^[!-~]{1,128}$/.test(id) || !/^[0-9]{1,15}$/.test(seconds)) {
    throw new Refusal(5007, "The signature does not fit the message.");
  }
  if (Math.abs(now - Number(seconds)) > TOLERANCE_S) {
    throw new Refusal(5008, "The signature's timestamp is too far from now.");
  }
  const given = (headers["webhook-signature"] ?? "").split(" ");
  const fits = secrets.some((secret) => {
    const expected = Buffer.from(signature(secret, id, seconds, body));
    return given.some((one) => {
      const candidate = Buffer.from(one);
      return candidate.length === expected.length && timingSafeEqual(candidate, expected);
    });
  });
  if (!fits) throw new Refusal(5007, "The signature does not fit the message.");
  return id;
}

function checkVectors(path) {
  let failures = 0;
  for (const vector of JSON.parse(readFileSync(path, "utf8"))) {
    const body = Buffer.from(vector.body_base64, "base64");
    let seen = "accept";
    try {
      verify(vector.secrets, vector.headers, body, vector.now);
    } catch (refused) {
      if (!(refused instanceof Refusal)) throw refused;
      seen = refused.error.code;
    }
    if (seen !== vector.expect) {
      failures += 1;
      console.error(`${vector.name}: expected ${vector.expect}, got ${seen}`);
    }
  }
  return failures;
}

if (process.argv[2] === "--vectors") {
  const failures = checkVectors(process.argv[3]);
  console.log(failures ? `${failures} vectors failed` : "all vectors passed");
  process.exit(failures ? 1 : 0);
}

// -- Who we are, and the line to the node ------------------------------------------------

const ID = process.env.AGENT_ID ?? "word-counter";
const ME = `agent:${ID}`;
const NODE = process.env.SYNAPSE_ADDRESS ?? "agent:synapse";
const SECRETS = (process.env.AGENT_SECRET ?? "").split(" ").filter(Boolean);
const API = (process.env.SYNAPSE_URL ?? "http://127.0.0.1:8000").replace(/\/$/, "") +
  "/api/v1/synapse/a2a";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function envelope(type, payload, inReplyTo) {
  return {
    protocol: "synapse",
    version: "1.0.0",
    message_id: randomUUID(),
    type: `p2p:${type}`,
    sender: ME,
    recipient: NODE,
    timestamp: new Date().toISOString(),
    ...(inReplyTo ? { in_reply_to: inReplyTo } : {}),
    payload,
  };
}

async function call(url, options) {
  const reply = await fetch(url, { ...options, redirect: "error",
    signal: AbortSignal.timeout(30_000) });
  const body = Buffer.from(await reply.arrayBuffer());
  const id = verify(SECRETS, Object.fromEntries(reply.headers), body);
  return { ok: reply.ok, id, value: JSON.parse(body.toString("utf8")) };
}

/** The payload of the node's ack or nack; the same bytes again until there is one. */
async function send(type, payload, inReplyTo) {
  const message = envelope(type, payload, inReplyTo);
  const body = Buffer.from(JSON.stringify(message));
  for (let tries = 0; ; tries += 1) {
    let wait = RETRY_MS[tries];
    let answer;
    try {
      const headers = { "content-type": "application/json",
        ...sign(SECRETS, message.message_id, body) };
      const { id, value } = await call(`${API}/messages`, { method: "POST", headers, body });
      const known = value.message_id === id && value.sender === NODE &&
        value.recipient === ME && value.payload.message_id === message.message_id;
      if (!known) throw new Error("an answer to something else");
      answer = value;
    } catch (trouble) {
      if (wait === undefined) throw trouble;
    }
    if (answer?.type === "p2p:ack") return answer.payload;
    if (answer?.type === "p2p:nack") {
      const { error } = answer.payload;
      if (!MAY_PASS.has(error.code) || wait === undefined) return answer.payload;
      wait = Math.max(wait, (error.retry_after ?? 0) * 1000);
    }
    await pause(wait);
  }
}

/** For what nobody waits for. */
function sendAside(type, payload, inReplyTo) {
  send(type, payload, inReplyTo).catch((trouble) => console.error(type, trouble.message));
}

// -- One task ----------------------------------------------------------------------------

class Over extends Error {}

class Task {
  constructor(request) {
    this.id = request.task_id;
    this.payload = request.payload;
    this.over = false;
    this.question = null;
    this.waiting = null;
  }

  async say(type, payload) {
    if (this.over) throw new Over();
    const { error } = await send(type, { task_id: this.id, ...payload });
    if (!error) return;
    if (error.code === 2001 || error.code === 2002) throw new Over();
    throw new Refusal(error.code, error.message, error.details);
  }

  async ask(type, question, fits) {
    this.question = randomUUID();
    const answered = new Promise((done, stop) => { this.waiting = { fits, done, stop }; });
    answered.catch(() => {}); // A cancel may come before anybody awaits it.
    await this.say(type, { request_id: this.question, ...question });
    const answer = await answered;
    this.question = this.waiting = null;
    return answer;
  }

  async needInfo(names, reason) {
    const facts = {};
    await this.ask("task_need_info", { missing_fields: names, reason }, (payload) => {
      Object.assign(facts, payload.provided_info ?? {});
      return names.every((name) => name in facts);
    });
    return facts;
  }

  needHuman(reason, options) {
    const question = { escalation_level: 1, reason, options };
    return this.ask("task_need_human", question, (payload) => "decision" in payload);
  }

  hear(payload) {
    // To a question of our last life: we asked again since.
    if (!this.waiting || (payload.request_id ?? this.question) !== this.question) return;
    if (this.waiting.fits(payload)) this.waiting.done(payload);
  }

  cancel() {
    this.over = true;
    this.waiting?.stop(new Over());
  }
}

async function countWords(task) {
  let { text } = task.payload;
  if (!text) ({ text } = await task.needInfo(["text"], "There is nothing to count."));
  const words = String(text).split(/\s+/).filter(Boolean);
  await task.say("task_status_update",
    { status: "executing", progress: 50, message: `${words.length} words` });
  let decidedBy = null;
  if (words.length > MANY_WORDS || task.payload.ask) {
    const summary = `Publish a count of ${words.length} words?`;
    const answer = await task.needHuman({ summary }, ["publish", "keep"]);
    if (answer.decision.action === "reject") throw new Refusal(2006, "A person said no.");
    decidedBy = answer.decided_by.user_id;
  }
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  return { words: words.length, longest, decided_by: decidedBy };
}

// -- What we hear ------------------------------------------------------------------------

const OFFERS = { count_words: countWords };
const CAPACITY = 4;
const tasks = new Map();

const card = () => ({
  agent_id: ID,
  agent_name: "Word counter (Node.js)",
  protocol_version: "1.0.0",
  supported_task_types: [
    { type: "count_words", description: "Counts the words of a text." },
  ],
  max_concurrent_tasks: CAPACITY,
  support_progress_updates: true,
  support_hil: true,
});

async function play(task, handler) {
  const text = task.payload.text ?? "";
  if (typeof text !== "string") {
    const details = { fields: { text: "must be a string" } };
    const reason = { code: 4002, message: "The payload does not fit.", details };
    return task.say("task_reject", { reason });
  }
  try {
    await task.say("task_confirm", {});
  } catch (refused) {
    // 2003: confirmed in our last life; begin again.
    if (refused.error?.code !== 2003) throw refused;
  }
  let result;
  try {
    result = await handler(task);
  } catch (failure) {
    if (failure instanceof Over) throw failure;
    const error = failure instanceof Refusal ? failure.error
      : { code: 2006, message: "The agent failed while working on the task." };
    return task.say("task_failed", { error });
  }
  return task.say("task_complete", { result });
}

function begin(request, ended) {
  const handler = OFFERS[request.task_type];
  if (!handler) {
    throw new Refusal(4001, "No agent here offers this task type.",
      { supported: Object.keys(OFFERS) });
  }
  if (tasks.has(request.task_id)) return false;
  if (tasks.size >= CAPACITY) throw new Refusal(4007, "Too many unfinished tasks.", {}, 5);
  const task = new Task(request);
  tasks.set(task.id, task);
  play(task, handler)
    .then(() => true, (trouble) => {
      if (trouble instanceof Over || trouble instanceof Refusal) return true;
      console.error(task.id, trouble.message);
      return false; // The node was away; the task begins again.
    })
    .then((over) => { tasks.delete(task.id); ended(over); });
  return true;
}

/** Whether a task began with it: then `ended` is called when that is over. */
function take({ type, message_id: id, payload }, ended) {
  const known = tasks.get(payload.task_id);
  switch (type) {
    case "p2p:task_request":
      requireFields(payload, { task_id: "string", task_type: "string", payload: "object" });
      return begin(payload, ended);
    case "p2p:task_cancel":
      requireFields(payload, { task_id: "string" });
      known?.cancel();
      sendAside("task_ack", { task_id: payload.task_id, acked_type: type });
      return false;
    case "p2p:task_info_provided":
    case "p2p:human_decision":
      requireFields(payload, { task_id: "string",
        ...(type === "p2p:human_decision" ? { decision: "object", decided_by: "object" }
          : { provided_info: "object" }) });
      if (!known) throw new Refusal(2001, "There is no such task.");
      known.hear(payload);
      return false;
    case "p2p:capability_query":
      sendAside("capability_response", card(), id);
      return false;
    default:
      if (FROM_EXECUTOR.has(type)) {
        throw new Refusal(6003, "The sender may not send this message type.");
      }
      return false; // task_ack, heartbeat, ack, nack, capability_response.
  }
}

function requireFields(payload, fields) {
  const wrong = Object.entries(fields).filter(([name, type]) => {
    const value = payload[name];
    return typeof value !== type || value === null || value === "" || Array.isArray(value);
  });
  if (wrong.length) {
    const texts = Object.fromEntries(wrong.map(([name, type]) => [name, `must be ${type}`]));
    throw new Refusal(1011, "A field is missing or has a wrong value.", { fields: texts });
  }
}

// -- Mailbox -----------------------------------------------------------------------------

async function* waiting() {
  for (let after = null; ;) {
    const headers = { "x-synapse-agent": ME, ...sign(SECRETS, randomUUID(), Buffer.alloc(0)) };
    const query = after ? `?after=${encodeURIComponent(after)}` : "";
    const { ok, value } = await call(`${API}/messages${query}`, { headers });
    if (!ok) throw new Error(value.payload.error.message);
    yield* value.messages;
    if (value.next === null) return;
    after = value.next;
  }
}

async function serveMailbox() {
  const seen = new Set();
  const settled = new Map(); // How we answered, until the node knows.
  const settle = (id, type, payload) => {
    settled.set(id, [type, payload]);
    sendAside(type, payload);
  };
  for (;; await pause(POLL_MS)) {
    const there = new Set();
    try {
      for await (const message of waiting()) {
        const id = message.message_id;
        there.add(id);
        if (settled.has(id)) sendAside(...settled.get(id));
        if (seen.has(id)) continue;
        seen.add(id);
        // A task request is acknowledged when the task is over, so it survives our end.
        const ended = (over) => {
          if (over) settle(id, "ack", { message_id: id });
          else seen.delete(id);
        };
        try {
          if (!take(message, ended)) ended(true);
        } catch (refused) {
          if (!(refused instanceof Refusal)) throw refused;
          const { error } = refused;
          const words = { message_id: id, error };
          if (MAY_PASS.has(error.code)) { seen.delete(id); sendAside("nack", words); }
          else settle(id, "nack", words);
        }
      }
      for (const id of seen) if (!there.has(id)) { seen.delete(id); settled.delete(id); }
    } catch (trouble) {
      console.error("mailbox:", trouble.message);
    }
  }
}

// -- Endpoint ----------------------------------------------------------------------------

const remembered = new Map();

function readEnvelope(id, raw) {
  let message;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch {
    throw new Refusal(6001, "The message envelope is not valid.");
  }
  const object = (value) => typeof value === "object" && value && !Array.isArray(value);
  if (!object(message)) throw new Refusal(6001, "An envelope is a JSON object.");
  const { protocol, version, type } = message;
  if (protocol !== "synapse" || !/^1\.[0-9]+\.[0-9]+$/.test(version ?? "")) {
    throw new Refusal(6004, "This protocol version is not spoken here.",
      { supported: { protocol: "synapse", version: "1.0.0" } });
  }
  if (!TYPES.includes(type)) {
    throw new Refusal(6002, "This message type is not known.", { supported: TYPES });
  }
  if (message.message_id !== id || message.sender !== NODE) {
    throw new Refusal(5007, "The signature does not fit the message.");
  }
  if (message.recipient !== ME || !object(message.payload)) {
    throw new Refusal(6001, "The message envelope is not valid.");
  }
  return message;
}

function reply(words, about) {
  const type = "error" in words ? "nack" : "ack";
  const message = envelope(type, { message_id: about, ...words }, about || undefined);
  const status = type === "ack" ? 200 : STATUS[words.error.code] ?? 400;
  return { status, id: message.message_id, body: Buffer.from(JSON.stringify(message)) };
}

function answerTo(id, raw) {
  const digest = createHash("sha256").update(raw).digest("hex");
  const before = remembered.get(id);
  if (before?.digest === digest) return before.answer;
  if (before) return reply({ error: { code: 6005, message: "Other content before." } }, id);
  let answer;
  try {
    take(readEnvelope(id, raw), () => {});
    answer = reply({}, id);
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    answer = reply({ error: refused.error }, id);
    if (MAY_PASS.has(refused.error.code)) return answer;
  }
  remembered.set(id, { digest, answer });
  if (remembered.size > MEMORY) remembered.delete(remembered.keys().next().value);
  return answer;
}

async function exchange(request, response) {
  const finish = ({ status, id, body }) => {
    const signed = id ? sign(SECRETS, id, body) : {};
    response.writeHead(status, { "content-type": "application/json", ...signed });
    response.end(body);
  };
  const unsigned = (error) => {
    const { status, body } = reply({ error }, "");
    finish({ status, body });
  };
  if (request.method !== "POST") return unsigned({ code: 1013, message: "POST only." });
  const type = (request.headers["content-type"] ?? "").split(";")[0].trim();
  if (type !== "application/json") return unsigned({ code: 1015, message: "JSON only." });
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size <= MAX_BYTES) pieces.push(piece);
  }
  if (size > MAX_BYTES) return unsigned({ code: 1016, message: "Too large." });
  const raw = Buffer.concat(pieces);
  try {
    return finish(answerTo(verify(SECRETS, request.headers, raw), raw));
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    return unsigned(refused.error);
  }
}

// -- Presence, and the beginning of it all -------------------------------------------------

async function beat() {
  for (let introduced = false; ; await pause(BEAT_MS)) {
    try {
      introduced ||= !(await send("capability_response", card())).error;
      const status = tasks.size >= CAPACITY ? "overloaded" : "ok";
      await send("heartbeat",
        { agent_id: ID, status, active: tasks.size, capacity: CAPACITY });
    } catch (trouble) {
      console.error("heartbeat:", trouble.message);
    }
  }
}

for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => process.exit(0));
beat();
if (process.env.AGENT_PORT) {
  createServer((request, response) => {
    exchange(request, response).catch((trouble) => {
      console.error(trouble);
      response.writeHead(500).end();
    });
  }).listen(Number(process.env.AGENT_PORT), "127.0.0.1");
} else {
  serveMailbox();
}
