/**
 * Kills `coffer store repair` and `coffer store rekey` at any time: running them again completes them, and the home always has
 * a usable key. `LONG=1` kills them many times; else once each.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { binary } from '../acceptance/support/coffer.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { testHome, type TestHome } from '../cli/support/closedHome.js'
import { homes } from '../support/nodes/home.js'
import { expectSound } from '../support/store/check.js'
import { placesOf } from '../support/nodes/node.js'

const isLong = process.env['LONG'] === '1'
const ROUNDS = isLong ? 60 : 1
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const { folder } = homes()

/** Runs a command in a process of its own, and kills it after some time unless it has ended. */
function killed(home: string, words: readonly string[], afterMs: number): Promise<number | null> {
  const child = spawn(process.execPath, [binary, ...words, '--home', home], { env: { PATH: process.env['PATH'], HOME: '/nowhere' }, stdio: 'ignore' })
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  return new Promise((give) =>
    child.on('close', (code) => {
      clearTimeout(timer)
      give(code)
    }),
  )
}

/** Returns the duration of a command without a kill, in milliseconds. */
function lengthOf(home: string, words: readonly string[], codes: readonly number[]): number {
  const began = performance.now()
  try {
    execFileSync(process.execPath, [binary, ...words, '--home', home], { stdio: 'pipe' })
  } catch (error) {
    expect(codes, String(error)).toContain((error as { status?: number }).status)
  }
  return performance.now() - began
}

async function noted(home: TestHome): Promise<string[]> {
  const { events } = await home.json('events list --user ana-lovelace --stream diary')
  return (events as { content: string }[]).map(({ content }) => content).sort()
}

describe(`commands killed at any time (seed ${SEED})`, () => {
  it('a repair can be run again, and keeps the damaged store until then', { timeout: isLong ? 900_000 : 60_000 }, async () => {
    build()
    const draw = seeded(SEED)
    const home = await testHome('ana-lovelace')
    await home.json('streams create Diary --id diary --user ana-lovelace')
    const calls = Array.from({ length: 200 }, (_, n) => ['events', 'create', '--user', 'ana-lovelace', '--stream', 'diary', '--type', 'note/txt', '--content', `note ${n}`])
    for (const words of calls.slice(0, isLong ? 200 : 5)) await home.json(words)
    const backups = await folder()
    await home.json(['backup', 'create', '--to', backups])
    const before = await noted(home)
    rmSync(join(placesOf(home.home).store, 'db'), { recursive: true })
    const damaged = join(await folder(), 'home')
    cpSync(home.home, damaged, { recursive: true })
    const words = ['store', 'repair', '--from', backups, '--accept-risk=lose-data']
    const length = lengthOf(home.home, words, [0, 3])
    let unfinished = 0
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(home.home, { recursive: true })
      cpSync(damaged, home.home, { recursive: true })
      // Before the program runs there is nothing to kill.
      if ((await killed(home.home, words, length * (0.3 + draw(800) / 1000))) === null) unfinished += 1
      const { code, err } = await home.run(words)
      expect([0, 3], err).toContain(code)
      expect(await noted(home)).toEqual(before)
      await expectSound(placesOf(home.home))
      const left = readdirSync(home.home).filter((name) => name.startsWith('store'))
      expect(left).toContain('store')
      expect(left).not.toContain('store.mended')
    }
    if (isLong) expect(unfinished).toBeGreaterThan(ROUNDS / 10)
    await home.remove()
  })

  it('a rekey leaves the key in its former or its new storage', { timeout: isLong ? 600_000 : 60_000 }, async () => {
    build()
    const draw = seeded(SEED)
    const home = await testHome('ana-lovelace')
    const passphrase = join(await folder(), 'passphrase')
    writeFileSync(passphrase, 'several words that nobody guesses\n')
    const [toPassphrase, toFile] = [
      ['store', 'rekey', '--keep-key', 'passphrase', '--new-passphrase-file', passphrase],
      ['store', 'rekey', '--keep-key', 'file', '--passphrase-file', passphrase],
    ]
    const length = lengthOf(home.home, toPassphrase ?? [], [])
    const env = { COFFER_PASSPHRASE_FILE: passphrase }
    for (let round = 0; round < ROUNDS; round++) {
      await killed(home.home, round % 2 === 0 ? (toFile ?? []) : (toPassphrase ?? []), length * (0.3 + draw(800) / 1000))
      const { code, out, err } = await home.run('users list -q', { env })
      expect([code, out.trim()], err).toEqual([0, 'ana-lovelace'])
    }
    // Files left by killed commands are beside the key, and have no effect.
    await home.json('store check', { env })
    await home.remove()
  })
})
