/**
 * The long run: `npm run test:long`, `npm run test:long -- S2 H5` for some rows by id or name, `proofs` for the breaks only;
 * `claims --minutes 10` sets how long a row lasts. Runs the rows in order within LONG_MINUTES (60), then injects faults that
 * tests must detect. Finally lists failed and skipped rows.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isNamed, proofs, rows, type Row } from './rows.js'
import { root } from './support/breaks.js'

/** The used parts of a vitest report. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[]
}

interface Outcome {
  report: Report | undefined
  /** True if the run exceeded its time limit. */
  isTimedOut: boolean
}

/** Minutes that a row with a chosen duration may take beyond it. */
const MARGIN_MINUTES = 6

const { values, positionals: selected } = parseArgs({ options: { minutes: { type: 'string' } }, allowPositionals: true })
const unknown = selected.filter((word) => word !== 'proofs' && !rows.some((row) => isNamed(row, word)))
if (unknown.length > 0) throw new Error(`The programme has no row ${unknown.join(', ')}.`)
/** How long each selected row lasts, if that is set. */
const duration = values.minutes === undefined ? undefined : Number(values.minutes)
if (duration !== undefined && !(duration > 0 && selected.length > 0)) throw new Error('--minutes needs a number above 0, and the rows that are to last so long.')
const minutes = Math.max(Number(process.env['LONG_MINUTES'] ?? 60), duration === undefined ? 0 : duration + MARGIN_MINUTES)
const ends = Date.now() + minutes * 60_000
const folder = mkdtempSync(join(tmpdir(), 'coffer-long-'))
const failed: string[] = []
const skipped: string[] = []
const done: string[] = []
let number = 0

/** Runs test files for at most `ms` milliseconds. */
function run(files: readonly string[], ms: number, env: Readonly<Record<string, string>>, more: readonly string[] = []): Promise<Outcome> {
  const file = join(folder, `${(number += 1)}.json`)
  const line = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...more, ...files]
  const child = spawn(process.execPath, line, { cwd: root, stdio: 'inherit', env: { ...process.env, LONG: '1', ...env }, detached: true })
  return new Promise((resolve) => {
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      // Kills the process group, which includes workers and their nodes.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, ms)
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ report: readReport(file), isTimedOut })
    })
  })
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/** Returns the time limit in milliseconds for a run of `wanted` minutes; undefined if no time remains. */
function timeFor(wanted: number): number | undefined {
  const remaining = ends - Date.now()
  return remaining < 5000 ? undefined : Math.min(remaining, wanted * 60_000)
}

const isSelected = (row: Row): boolean => selected.length === 0 || selected.some((word) => isNamed(row, word))
for (const row of rows.filter((row) => isSelected(row) && row.long.length > 0)) {
  // Skips rows whose files were already run.
  if (done.includes(row.long.join())) continue
  const ms = timeFor(duration === undefined ? (row.minutes ?? 5) : duration + MARGIN_MINUTES)
  if (ms === undefined) {
    failed.push(`${row.id}: not run, because the ${minutes} minutes had elapsed`)
    continue
  }
  console.log(`\n${row.id}  ${row.promise}`)
  done.push(row.long.join())
  const { report, isTimedOut } = await run(row.long, ms, { ...row.env, ...(duration === undefined ? {} : { MINUTES: String(duration) }) })
  if (isTimedOut) failed.push(`${row.id}: timed out after ${Math.round(ms / 60_000)} minutes`)
  else if (report === undefined) failed.push(`${row.id}: ended without a report`)
  for (const { fullName, status } of report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []) {
    if (status === 'failed') failed.push(`${row.id}: ${fullName}`)
    else if (status !== 'passed') skipped.push(`${row.id}: ${fullName}`)
  }
  for (const { name, assertionResults } of report?.testResults ?? []) {
    if (assertionResults.length === 0) failed.push(`${row.id}: ${name} could not be loaded`)
  }
}

for (const { broken, files, named } of selected.length === 0 || selected.includes('proofs') ? proofs : []) {
  const about = `${broken} in ${files.join(', ')}`
  const ms = timeFor(4)
  if (ms === undefined) {
    failed.push(`${about}: not run, because the ${minutes} minutes had elapsed`)
    continue
  }
  console.log(`\ninjected fault (${about}): tests must fail`)
  // The rounds of `npm test` suffice.
  const { report, isTimedOut } = await run(files, ms, { COFFER_BREAK: broken, LONG: '' }, named === undefined ? [] : ['-t', named])
  if (isTimedOut || report === undefined) failed.push(`${about}: did not finish`)
  else if (report.numFailedTests > 0) continue
  else if (report.numPassedTests === 0) skipped.push(`${about}: the tests cannot run here`)
  else failed.push(`${about}: no test detected it`)
}

rmSync(folder, { recursive: true, force: true })
console.log(`\n${'─'.repeat(60)}`)
if (skipped.length > 0) console.log(`Skipped:\n  ${skipped.join('\n  ')}`)
console.log(failed.length === 0 ? `All ${skipped.length > 0 ? 'other ' : ''}tests passed.` : `Failed:\n  ${failed.join('\n  ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
