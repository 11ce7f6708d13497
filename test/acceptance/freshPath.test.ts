/**
 * The path of a fresh person, with the commands of the README and the real binary: a node, an account, measurements, an
 * app, a second node, a backup; then the first node is lost and comes back out of the backup.
 */
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { coffer, folder, json, start, type Outcome } from './support/coffer.js'

const example = fileURLToPath(new URL('../../examples/terminal-script/weight.js', import.meta.url))

it('from nothing to two nodes and a backup, and back after a loss', { timeout: 120_000 }, async () => {
  const place = folder()
  const [laptop, server] = [join(place, 'laptop'), join(place, 'server')]
  const at = (name: string): string => join(place, name)
  writeFileSync(at('measurements.csv'), 't,kg\n2026-01-01T08:00:00Z,73.1\n2026-01-02T08:00:00Z,72.9\n2026-01-03T08:00:00Z,72.6\n')
  writeFileSync(at('passphrase'), 'a passphrase for backups\n')
  /** A command that succeeds, on the laptop unless another home is named. */
  const does = async (line: string, stdin = '', home = laptop): Promise<Outcome> => {
    const outcome = await coffer(`${line} --home ${home}`, { stdin })
    expect(outcome, `${line}: ${outcome.err}`).toMatchObject({ code: 0 })
    return outcome
  }
  /** The app, with the link that it was given. */
  const app = (link: string, ...words: string[]): Promise<string> =>
    new Promise((give, fail) =>
      execFile(process.execPath, [example, ...words], { env: { PRYV_API_ENDPOINT: link } }, (error, out, err) => (error === null ? give(out) : fail(new Error(err)))),
    )
  const exported = async (home: string): Promise<string> => (await does('events export --stream weight', '', home)).out

  // A node, an account, and what was measured so far.
  const first = await start(laptop)
  const port = Number(new URL(first.url).port)
  await does('users create ana-lovelace --email ana@example.org --password-stdin', 'correct horse battery')
  await does('streams create Weight --id weight')
  await does(`events import --stream weight --type mass/kg --time-column t --value-column kg ${at('measurements.csv')}`)

  // An app, with an access of its own.
  const link = (await coffer(['accesses', 'create', '--name', 'Weight script', '--permission', 'weight:contribute', '--home', laptop])).out.trim()
  expect(await app(link, '72.4')).toBe('noted 72.4 kg\n')
  expect((await app(link)).trim().split('\n')).toHaveLength(4)

  // A second node with the same account.
  await start(server)
  const offer = String(json(await does('sync pair --user ana-lovelace --no-wait --json'))['link'])
  await does('sync accept - --user ana-lovelace --create --accept-risk=unconfirmed-peer', `${offer}\n`, server)
  await does('wait --for synced --timeout 60s', '', server)
  const before = await exported(laptop)
  expect(before.trim().split('\n')).toHaveLength(4)
  expect(await exported(server)).toBe(before)

  // A backup; then the laptop is gone, and comes back.
  const backup = await does(`backup create --to ${at('backups')} --passphrase-file ${at('passphrase')} --json`)
  const { path, sealed } = JSON.parse(backup.out.trim().split('\n').at(-1) ?? '') as { path: string; sealed: boolean }
  expect(sealed).toBe(true)
  await does('stop')
  await first.ended
  rmSync(laptop, { recursive: true })
  expect((await coffer(`status --home ${laptop}`)).code).not.toBe(0)
  await does(`restore ${path} --passphrase-file ${at('passphrase')}`)
  await start(laptop, { port })

  // Nothing is missing, the app has its access, and both nodes go on together.
  expect(await exported(laptop)).toBe(before)
  expect(await app(link, '71.9')).toBe('noted 71.9 kg\n')
  await does('wait --for synced --timeout 60s', '', server)
  expect(json(await does('sync now --json'))).toMatchObject({ peers: [{ state: 'in-sync' }] })
  const after = await exported(laptop)
  expect(after.trim().split('\n')).toHaveLength(5)
  expect(await exported(server)).toBe(after)
})
