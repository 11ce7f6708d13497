/**
 * The long run: `npm run test:long`, or `npm run test:long -- S2 H5` for some rows, `proofs` for the breaks alone. Goes
 * through the rows one after another within LONG_MINUTES (60), then breaks the product on purpose and expects tests to
 * fail, and says at the end what failed, what was left out and why.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proofs, rows } from './rows.js'
import { root } from './support/breaks.js'

/** What vitest writes of a run, as far as it is read here. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[]
}

interface Outcome {
  report: Report | undefined
  /** Whether its time was over. */
  isCut: boolean
}

const asked = process.argv.slice(2)
const isAsked = (id: string): boolean => asked.length === 0 || asked.includes(id)
const minutes = Number(process.env['LONG_MINUTES'] ?? 60)
const ends = Date.now() + minutes * 60_000
const folder = mkdtempSync(join(tmpdir(), 'coffer-long-'))
const failed: string[] = []
const skipped: string[] = []
const done: string[] = []
let number = 0

/** Runs some test files, for at most so many milliseconds. */
function run(files: readonly string[], ms: number, env: Readonly<Record<string, string>>, more: readonly string[] = []): Promise<Outcome> {
  const file = join(folder, `${(number += 1)}.json`)
  const line = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...more, ...files]
  const child = spawn(process.execPath, line, { cwd: root, stdio: 'inherit', env: { ...process.env, LONG: '1', ...env }, detached: true })
  return new Promise((resolve) => {
    let isCut = false
    const timer = setTimeout(() => {
      isCut = true
      // Its workers, and the nodes that they started, too.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, ms)
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ report: readReport(file), isCut })
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

/** How long something may take that would like to take so many minutes; undefined when the time is over. */
function timeFor(wanted: number): number | undefined {
  const left = ends - Date.now()
  return left < 5000 ? undefined : Math.min(left, wanted * 60_000)
}

for (const row of rows.filter(({ id, long }) => isAsked(id) && long.length > 0)) {
  // Rows that share their files were run together.
  if (done.includes(row.long.join())) continue
  const ms = timeFor(row.minutes ?? 5)
  if (ms === undefined) {
    failed.push(`${row.id}: not run, because ${minutes} minutes were over`)
    continue
  }
  console.log(`\n${row.id}  ${row.promise}`)
  done.push(row.long.join())
  const { report, isCut } = await run(row.long, ms, row.env ?? {})
  if (isCut) failed.push(`${row.id}: not over after ${Math.round(ms / 60_000)} minutes`)
  else if (report === undefined) failed.push(`${row.id}: ended without a report`)
  for (const { fullName, status } of report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []) {
    if (status === 'failed') failed.push(`${row.id}: ${fullName}`)
    else if (status !== 'passed') skipped.push(`${row.id}: ${fullName}`)
  }
  for (const { name, assertionResults } of report?.testResults ?? []) {
    if (assertionResults.length === 0) failed.push(`${row.id}: ${name} could not be loaded`)
  }
}

for (const { broken, files, named } of asked.length === 0 || asked.includes('proofs') ? proofs : []) {
  const about = `${broken} in ${files.join(', ')}`
  const ms = timeFor(4)
  if (ms === undefined) {
    failed.push(`${about}: not run, because ${minutes} minutes were over`)
    continue
  }
  console.log(`\nbroken on purpose (${about}): tests are to fail`)
  // A few rounds show it: the ordinary ones.
  const { report, isCut } = await run(files, ms, { COFFER_BREAK: broken, LONG: '' }, named === undefined ? [] : ['-t', named])
  if (isCut || report === undefined) failed.push(`${about}: came to no end`)
  else if (report.numFailedTests > 0) continue
  else if (report.numPassedTests === 0) skipped.push(`${about}: the tests cannot run here`)
  else failed.push(`${about}: no test saw it`)
}

rmSync(folder, { recursive: true, force: true })
console.log(`\n${'─'.repeat(60)}`)
if (skipped.length > 0) console.log(`Left out:\n  ${skipped.join('\n  ')}`)
console.log(failed.length === 0 ? `Everything${skipped.length > 0 ? ' else' : ''} holds.` : `Failed:\n  ${failed.join('\n  ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
