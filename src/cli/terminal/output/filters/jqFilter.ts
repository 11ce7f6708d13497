/** Filters JSON by jq expressions, with jq compiled to WebAssembly. Loaded only for `--jq`. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { loadJq, type JqResult } from 'jq-wasm'
import { CommandError, usageError } from '../../../framework/exit.js'
import { escapedJson } from '../../../../store/model/unprintable.js'
import { printable } from '../text.js'
import type { OutputFilter } from './outputFilter.js'

/** jq beside the bundle, set by build.js; undefined when running from the sources. */
declare const JQ_FILE: string | undefined

/** One line for each value; numbers keep their digits. The last one lets expressions start with a minus. */
const OPTIONS = ['-c', '--']

/**
 * Creates a filter from a jq expression. Strings are printed as they are, other values as compact JSON, one per line.
 * @throws CommandError 2 for a syntax error, with its position
 */
export async function jqFilter(expression: string): Promise<OutputFilter> {
  const jq = await loadJq({ wasmBinary: readFileSync(wasmPath()) })
  // Without input the expression is compiled and not run.
  const compiled = jq.raw('', expression, OPTIONS)
  if (compiled.exitCode !== 0) throw syntaxError(compiled)
  return {
    // Compiling an expression takes longer than running it on a line.
    takesLines: true,
    apply: (json, _, isTerminal) => {
      const { stdout, stderr, exitCode } = jq.raw(json, expression, OPTIONS)
      const text = stdout === '' ? '' : `${stdout.split('\n').map((line) => valueLine(line, isTerminal)).join('\n')}\n`
      if (exitCode === 0) return { text, ...(stderr === '' ? {} : { messages: stderr.split('\n') }) }
      return { text, failure: runError(stderr) }
    },
  }
}

function wasmPath(): string {
  if (typeof JQ_FILE !== 'undefined') return fileURLToPath(new URL(JQ_FILE, import.meta.url))
  return createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')
}

function valueLine(line: string, isTerminal: boolean): string {
  if (!line.startsWith('"')) return escapedJson(line)
  const text = JSON.parse(line) as string
  return isTerminal ? printable(text) : text
}

/** Creates the error from the first problem, such as `jq: error: …, line 1, column 6:` with the line and a mark below. */
function syntaxError({ stderr }: JqResult): CommandError {
  const [first = '', ...lines] = stderr.split('\n')
  const end = lines.findIndex((line) => line.startsWith('jq: '))
  const message = first.replace(/^jq: error: /, '').replace(/ at <top-level>, line (\d+), column (\d+):$/, ', at line $1, column $2').replace(', at line 1, column', ', at column')
  return usageError([`--jq: ${message}`, ...lines.slice(0, end < 0 ? undefined : end)].filter((line) => line.trim() !== '').join('\n'), 'See: coffer help formatting')
}

/** Returns the first problem on a result; those of further lines are left out. */
const firstProblem = (stderr: string): string => (stderr.split(/\n(?=jq: error)/)[0] ?? '').replace(/^jq: error (?:\(at [^)]*\): )?/, '')

/** Creates the error of an expression that fails on a result. */
const runError = (stderr: string): CommandError =>
  new CommandError(`--jq failed on the result: ${firstProblem(stderr)}`, {
    exit: 2,
    hint: 'The command itself was carried out. Its whole result: --jq .',
  })
