/**
 * The program of the worker that compiles and runs mail templates, as text: a worker of its own file would need that
 * file built first. Templates are the operator's own, and Pug makes code of them; so that a mistake in one, or a
 * template copied from elsewhere, harms nothing, they run in a context that holds the language alone. There are no
 * files (include, extends and filters are refused), no `import`, no code from text, no environment, and no object of
 * the worker's own realm within reach: what goes in and out is text.
 */

/** Characters that a rendered part may have. */
const MAX_RENDERED = 1_000_000

const CACHED = [
  'Array', 'Boolean', 'Date', 'Error', 'Infinity', 'Intl', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'RangeError',
  'RegExp', 'Set', 'String', 'Symbol', 'TypeError', 'decodeURI', 'decodeURIComponent', 'encodeURI',
  'encodeURIComponent', 'globalThis', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'undefined',
]

export const templateWorker = `'use strict'
const { parentPort, workerData } = require('node:worker_threads')
const vm = require('node:vm')
const pug = require(workerData.pug)

const KEPT = ${JSON.stringify(CACHED)}
const PLAIN = new Set(['text', 'text-html', 'comment', 'tag', 'class', 'id', 'doctype'])
const FILES = new Set(['include', 'extends', 'filter', 'path'])

// Objects of this realm that reached a template could make code here through their constructors.
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
        '} catch (e) { let m = "it fails"; try { m = "" + (e && e.message || e) } catch (_) {} return "!" + m } })()',
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
  if (typeof made !== 'string') throw refused('it makes no text')
  if (made[0] !== '=') throw refused(made.slice(1, 500))
  if (made.length > ${MAX_RENDERED}) throw refused('it makes more than ${MAX_RENDERED} characters')
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
