/**
 * Source text of the worker that compiles and runs mail templates; a separate file would have to be built first. Pug compiles
 * templates to code, so they run in a context with only the language itself. There is no file access (include, extends and
 * filters are rejected), no `import`, no eval, no environment and no object of the worker's realm. Input and output are text.
 */

/** Longest rendered part, in characters. */
const MAX_RENDERED = 1_000_000

/** Globals that templates may use; all others are deleted from the context. */
const KEPT_GLOBALS = [
  'Array', 'Boolean', 'Date', 'Error', 'Infinity', 'Intl', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'RangeError',
  'RegExp', 'Set', 'String', 'Symbol', 'TypeError', 'decodeURI', 'decodeURIComponent', 'encodeURI',
  'encodeURIComponent', 'globalThis', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'undefined',
]

export const templateWorker = `'use strict'
const { parentPort, workerData } = require('node:worker_threads')
const vm = require('node:vm')
const pug = require(workerData.pug)

const KEPT = ${JSON.stringify(KEPT_GLOBALS)}
const PLAIN = new Set(['text', 'text-html', 'comment', 'tag', 'class', 'id', 'doctype'])
const FILES = new Set(['include', 'extends', 'filter', 'path'])

// Objects of this realm that reach a template could create code here through their constructors.
for (const made of [function () {}, async function () {}, function* () {}, async function* () {}]) {
  Object.defineProperty(Object.getPrototypeOf(made), 'constructor', { value: undefined })
}

function postLex(tokens) {
  for (const { type, val, code, args, name, loc } of tokens) {
    if (FILES.has(type)) throw refused(type + ' is not available in mail templates', loc)
    if (PLAIN.has(type)) continue
    if ([val, code, args, name].some((part) => typeof part === 'string' && /\\bimport\\b/.test(part))) {
      throw refused('import is not available in mail templates', loc)
    }
  }
  return tokens
}

function refused(msg, loc) {
  return Object.assign(new Error(msg), { msg, line: loc && loc.start && loc.start.line })
}

const noFile = () => { throw refused('mail templates cannot read files') }
const compiled = new Map()

function compile(source) {
  let script = compiled.get(source)
  if (script === undefined) {
    const code = pug.compileClient(source, {
      compileDebug: false,
      plugins: [{ postLex, resolve: noFile, read: noFile }],
    })
    script = new vm.Script(
      '(function () { try {' +
        ' const given = JSON.parse(json), left = kept;' +
        ' for (const key of Reflect.ownKeys(globalThis)) if (!left.includes("|" + String(key) + "|")) delete globalThis[key];' +
        ' const made = (function () {' + code + ';return template })()(given);' +
        ' return "=" + made;' +
        '} catch (e) { let m = "it failed"; try { m = "" + (e && e.message || e) } catch (_) {} return "!" + m } })()',
    )
    if (compiled.size >= 100) compiled.clear()
    compiled.set(source, script)
  }
  return script
}

function render(source, json) {
  const script = compile(source)
  const inside = Object.assign(Object.create(null), { json, kept: '|' + KEPT.join('|') + '|' })
  const context = vm.createContext(inside, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  })
  const made = script.runInContext(context)
  if (typeof made !== 'string') throw refused('it produces no text')
  if (made[0] !== '=') throw refused(made.slice(1, 500))
  if (made.length > ${MAX_RENDERED}) throw refused('it produces more than ${MAX_RENDERED} characters')
  return made.slice(1)
}

parentPort.on('message', ({ sources, json }) => {
  let answer
  try {
    answer = { texts: sources.map((source) => render(source, json)) }
  } catch (error) {
    const line = typeof error.line === 'number' ? 'line ' + error.line + ': ' : ''
    answer = { wrong: line + String(error.msg || error.message).slice(0, 500) }
  }
  parentPort.postMessage(answer)
})
parentPort.postMessage('ready')
`
