/** Tests of `coffer doctor`, on an intact home and on faulty ones. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checks } from '../../../../src/cli/commands/node/doctor/checks.js'
import { checkNames } from '../../../../src/cli/commands/node/doctor/names.js'
import { redaction } from '../../../../src/cli/commands/node/doctor/report.js'
import { openDatabase } from '../../../../src/store/engine/database.js'
import { accountKeys } from '../../../../src/store/engine/keys.js'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

interface Finding {
  check: string
  state: string
  says: string
  next?: string
  fixed?: true
}

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
})
afterAll(() => home.remove())

async function diagnose(line: string): Promise<{ code: number; findings: Finding[] }> {
  const { code, out } = await home.run(`${line} --json`)
  return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings }
}
const of = (findings: Finding[], check: string): Finding[] => findings.filter((each) => each.check === check)

it('offers all checks as arguments', () => expect(checks.map(({ name }) => name)).toEqual([...checkNames]))

describe('coffer doctor without a running node', () => {
  it('runs all checks', async () => {
    const { code, findings } = await diagnose('doctor')
    expect(code).toBe(0)
    expect([...new Set(findings.map(({ check }) => check))]).toEqual([...checkNames])
    expect(of(findings, 'store').every(({ state }) => state === 'fine')).toBe(true)
    expect(of(findings, 'address')).toMatchObject([{ state: 'off' }])
    for (const { state, next } of findings) if (state === 'warning' || state === 'fault') expect(next).toBeTruthy()
  })

  it('checks the whole store with --deep', async () => {
    const says = async (line: string): Promise<string[]> => (await diagnose(line)).findings.map((each) => each.says)
    expect(await says('doctor store')).toContainEqual(expect.stringMatching(/^\d+ sampled records intact$/))
    expect(await says('doctor store --deep')).toContain('all records and index entries intact')
  })

  it('detects a key file that others can read, and repairs its permissions with --fix', async () => {
    const { key } = placesOf(home.home)
    chmodSync(key, 0o644)
    const { code, findings } = await diagnose('doctor key')
    expect([code, findings]).toMatchObject([1, [{ check: 'key', state: 'fault', next: `chmod 600 ${key}` }]])
    const { out } = await home.run('doctor key')
    expect(out).toContain(`→ chmod 600 ${key}`)
    expect(await diagnose('doctor key --fix')).toMatchObject({ code: 0, findings: [{ fixed: true }] })
    expect(statSync(key).mode & 0o777).toBe(0o600)
  })

  it('reports damage, and exits 13', async () => {
    const db = await openDatabase(join(placesOf(home.home).store, 'db'))
    const batch = db.batch()
    batch.put(accountKeys.stream('1', 'broken'), '{')
    await batch.write({ sync: true })
    await db.close()
    const { code, findings } = await diagnose('doctor store')
    expect(code).toBe(13)
    expect(await diagnose('doctor store --deep')).toMatchObject({ code: 13 })
    expect(findings.find(({ state }) => state === 'damage')?.says).toContain('account ana-lovelace, stream broken')
    const again = await openDatabase(join(placesOf(home.home).store, 'db'))
    const undo = again.batch()
    undo.delete(accountKeys.stream('1', 'broken'))
    await undo.write({ sync: true })
    await again.close()
  })

  it.each([
    ['sso', 'sso.enabled = true\nsso.providers = { x = { issuer = "http://127.0.0.1:1", clientId = "a", clientSecret = "b" } }\n', 'x does not answer correctly at http://127.0.0.1:1: '],
    ['mail', 'services.email.smtp.host = "127.0.0.1"\nservices.email.smtp.port = 1\n', '127.0.0.1:1 cannot be reached'],
    ['settings', 'http.prot = 1\n', 'http.prot'],
  ])('checks %s', async (check, toml, says) => {
    const { config } = placesOf(home.home) as { config?: string }
    const file = config ?? join(home.home, 'config.toml')
    writeFileSync(file, toml)
    const { code, findings } = await diagnose(`doctor ${check}`)
    writeFileSync(file, '')
    expect([code, findings]).toMatchObject([1, [{ check, state: 'fault', says: expect.stringContaining(says) as unknown }]])
  })

  it('reports the age of backups and of the last verification', async () => {
    const to = join(home.home, 'backups')
    expect((await diagnose('doctor backups')).findings).toMatchObject([{ state: 'off' }])
    await home.json(['config', 'set', 'backup.to', to])
    expect((await diagnose('doctor backups')).findings).toMatchObject([{ state: 'warning', next: expect.stringContaining('backup create') as string }])
    await home.json('backup schedule --every 1d')
    expect(await diagnose('doctor backups')).toMatchObject({ code: 1, findings: [{ state: 'fault', says: expect.stringContaining('no backup') as string }] })
    const { path } = await home.json('backup create')
    expect((await diagnose('doctor backups')).findings).toMatchObject([
      { state: 'fine', says: expect.stringContaining('latest backup just now') as string },
      { state: 'warning', next: expect.stringContaining('backup verify --latest') as string },
    ])
    await home.json('backup verify --latest')
    expect((await diagnose('doctor backups')).findings.map(({ state }) => state)).toEqual(['fine', 'fine'])
    writeFileSync(join(String(path), 'verified'), '2020-01-01T00:00:00.000Z\n')
    expect((await diagnose('doctor backups')).findings.map(({ state }) => state)).toEqual(['fine', 'warning'])
    await home.json('backup schedule --off')
  })

  it('warns about backups on the same disk', async () => {
    const file = join(home.home, 'config.toml')
    writeFileSync(file, `backup.to = ${JSON.stringify(join(home.home, 'not', 'yet'))}\n`)
    const { code, findings } = await diagnose('doctor disk')
    writeFileSync(file, '')
    expect(code).toBe(0)
    expect(findings.filter(({ state, says }) => state === 'warning' && says.startsWith('same disk as the backups'))).toHaveLength(1)
  })

  it('refuses an unknown check', async () => expect((await home.run('doctor moon')).code).toBe(2))
})

describe('coffer doctor with a running node', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({}, { home: home.home })
  })
  afterAll(() => node.stop())

  it('confirms that the public address reaches the node', async () => {
    expect(await diagnose('doctor address')).toMatchObject({ code: 0, findings: [{ state: 'fine' }] })
  })

  it('warns about a proxy that is not trusted', async () => {
    expect(await diagnose('doctor proxy')).toMatchObject({ findings: [{ state: 'fine' }] })
    node.node.proxies.clientOf('10.0.0.2', '1.2.3.4')
    const { code, findings } = await diagnose('doctor proxy')
    expect([code, findings]).toMatchObject([0, [{ state: 'warning', says: expect.stringContaining('10.0.0.2') as unknown }]])
  })

  it('writes a report of all checks without personal data', async () => {
    const file = join(home.home, 'report.json')
    const { findings } = await diagnose(`doctor --report ${file}`)
    expect(of(findings, 'limits')).toHaveLength(1)
    expect(of(findings, 'waiting').every(({ state }) => state === 'fine')).toBe(true)
    const text = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const named of ['ana-lovelace', home.home, '10.0.0.2', '127.0.0.1']) expect(text).not.toContain(named)
    expect(JSON.parse(text)).toMatchObject({ running: true, findings: expect.any(Array) as unknown })
    await request(`${node.url}service/info?probe=unknown`, { method: 'GET' })
  })
})

it('doctor address reports a public address that reaches another server', async () => {
  const other = createServer((_, response) => response.end('{}'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const node = await startTestNode({ 'dnsLess.publicUrl': url }, { home: home.home })
  const { code, findings } = await diagnose('doctor address')
  await node.stop()
  other.close()
  expect([code, findings]).toMatchObject([1, [{ state: 'fault', says: `${url} answers 200, but it is not this node` }]])
})

it('doctor webhooks reports why a webhook is inactive', async () => {
  const { run } = checks.find(({ name }) => name === 'webhooks') ?? { run: () => Promise.resolve([]) }
  const stopped = [{ user: 'ana-lovelace', id: 'w1', host: 'hook.lab', failed: 6 }, { user: 'ana-lovelace', id: 'w2', host: 'other.lab', failed: 0 }]
  const found = await run({ facts: { stoppedWebhooks: stopped }, context: { commandFor: (...words: string[]) => words.join(' ') } } as never)
  expect(found.map(({ says }) => says)).toEqual([
    'hook.lab of ana-lovelace failed too often and is inactive',
    'other.lab of ana-lovelace was stopped while its access had ended and is inactive',
  ])
})

it('the report of doctor redacts names, paths and addresses', () => {
  const redact = redaction({ paths: { home: '/srv/ana' } as never }, ['ana-lovelace', 'laptop'])
  expect(redact('account ana-lovelace at /srv/ana/store, https://ana.example.org:8/x, ana@example.org, fe80::1:2:3, laptop')).toBe(
    'account name-1 at <home>/store, https://<host>/x, <address>, <ip>, name-2',
  )
})
