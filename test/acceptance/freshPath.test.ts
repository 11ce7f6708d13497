/**
 * Test of the first steps of the README with the real binary: creates a node, an account, measurements, an app, a second
 * node and a backup, then loses the first node and restores it.
 */
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { coffer, folder, json, start, type Outcome } from './support/coffer.js'

const example = fileURLToPath(new URL('../../examples/terminal-script/weight.js', import.meta.url))

it('the commands of the README create two nodes and a backup, which restores a lost node', { timeout: 120_000 }, async () => {
  const place = folder()
  const [laptop, server] = [join(place, 'laptop'), join(place, 'server')]
  const at = (name: string): string => join(place, name)
  writeFileSync(at('measurements.csv'), 't,kg\n2026-01-01T08:00:00Z,73.1\n2026-01-02T08:00:00Z,72.9\n2026-01-03T08:00:00Z,72.6\n')
  writeFileSync(at('passphrase'), 'a passphrase for backups\n')
  /** Runs a command that must succeed, by default on the laptop. */
  const run = async (line: string, stdin = '', home = laptop): Promise<Outcome> => {
    const outcome = await coffer(`${line} --home ${home}`, { stdin })
    expect(outcome, `${line}: ${outcome.err}`).toMatchObject({ code: 0 })
    return outcome
  }
  /** Runs the app with a link. */
  const app = (link: string, ...words: string[]): Promise<string> =>
    new Promise((resolve, reject) =>
      execFile(process.execPath, [example, ...words], { env: { PRYV_API_ENDPOINT: link } }, (error, out, err) => (error === null ? resolve(out) : reject(new Error(err)))),
    )
  const exported = async (home: string): Promise<string> => (await run('events export --stream weight', '', home)).out

  // Creates a node, an account and earlier measurements.
  const first = await start(laptop)
  const port = Number(new URL(first.url).port)
  await run('users create ana-lovelace --email ana@example.org --password-stdin', 'correct horse battery')
  await run('streams create Weight --id weight')
  await run(`events import --stream weight --type mass/kg --time-column t --value-column kg ${at('measurements.csv')}`)

  // Creates the access of an app.
  const link = (await coffer(['accesses', 'create', '--name', 'Weight script', '--permission', 'weight:contribute', '--home', laptop])).out.trim()
  expect(await app(link, '72.4')).toBe('noted 72.4 kg\n')
  expect((await app(link)).trim().split('\n')).toHaveLength(4)

  // Pairs a second node with the same account.
  await start(server)
  const offer = String(json(await run('sync pair --user ana-lovelace --no-wait --json'))['link'])
  await run('sync accept - --user ana-lovelace --create --accept-risk=unconfirmed-peer', `${offer}\n`, server)
  await run('wait --for synced --timeout 60s', '', server)
  const before = await exported(laptop)
  expect(before.trim().split('\n')).toHaveLength(4)
  expect(await exported(server)).toBe(before)

  // Creates a backup, deletes the laptop and restores it.
  const backup = await run(`backup create --to ${at('backups')} --passphrase-file ${at('passphrase')} --json`)
  const { path, sealed } = JSON.parse(backup.out.trim().split('\n').at(-1) ?? '') as { path: string; sealed: boolean }
  expect(sealed).toBe(true)
  await run('stop')
  await first.ended
  rmSync(laptop, { recursive: true })
  expect((await coffer(`status --home ${laptop}`)).code).not.toBe(0)
  await run(`restore ${path} --passphrase-file ${at('passphrase')}`)
  await start(laptop, { port })

  // All data is there, the app has its access, and both nodes sync.
  expect(await exported(laptop)).toBe(before)
  expect(await app(link, '71.9')).toBe('noted 71.9 kg\n')
  await run('wait --for synced --timeout 60s', '', server)
  expect(json(await run('sync now --json'))).toMatchObject({ peers: [{ state: 'in-sync' }] })
  const after = await exported(laptop)
  expect(after.trim().split('\n')).toHaveLength(5)
  expect(await exported(server)).toBe(after)
})
