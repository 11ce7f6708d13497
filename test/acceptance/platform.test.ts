/**
 * A platform of three cores, as docs/platform.md describes it: its commands, run with the built program on three homes against
 * three members of etcd, which have the settings of the document. Each machine is an address of the loopback. Then cores and
 * members are lost, one after another.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { copyFileSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasEtcd, titleWithEtcd } from '../support/services/etcd.js'
import { afterTheFile, folder, json, shell, type Outcome } from './support/coffer.js'
import { root } from './support/installed.js'

const PASSWORD = 'correct horse battery'
const MACHINES = ['a', 'b', 'c'] as const
type Machine = (typeof MACHINES)[number]
/** Time limit of waiting for an event, for machines under load. */
const EVENT = { timeout: 60_000, interval: 200 }

const text = readFileSync(join(root, 'docs/platform.md'), 'utf8')
const blocks = (language: string, of = text): string[] => [...of.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)
const linesOf = (of: string): string[] => blocks('sh', of).flatMap((block) => block.trim().split('\n'))
/** Commands that set up the platform. */
const setup = linesOf(/^## Three machines\n(.*?)^## /ms.exec(text)?.[1] ?? '')
const executed = new Set<string>()

/** Returns the command of the document that begins with these words. */
function fromDocument(start: string): string {
  const found = [...new Set(linesOf(text).filter((line) => line.startsWith(start)))]
  expect(found, start).toHaveLength(1)
  executed.add(found[0] ?? '')
  return found[0] ?? ''
}

const isUsable = hasEtcd && process.platform === 'linux'

describe.skipIf(!isUsable)(titleWithEtcd('a platform of three cores'), () => {
  const later = afterTheFile()
  // Other processes may use the ports of the document on other addresses.
  const net = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`
  const urls = Object.fromEntries(MACHINES.map((machine, index) => [machine, `http://${net}.${index + 1}:3000`])) as Record<Machine, string>
  const members: (ChildProcess | undefined)[] = []
  let place = ''
  let token = ''

  beforeAll(() => {
    place = folder(later)
    for (const machine of MACHINES) mkdirSync(join(place, machine))
    later(async () => {
      for (const member of members) member?.kill('SIGKILL')
      await Promise.all(MACHINES.map((machine) => kill(machine)))
    })
  })

  /** Replaces the addresses of the document by those of the test. */
  const replaced = (line: string): string =>
    line.replaceAll(/\b10\.0\.0\.(?=\d)/g, `${net}.`).replaceAll(/https:\/\/([abc])\.example\.org/g, (_, machine: Machine) => urls[machine])

  /** Runs a command on a machine; returns its outcome. */
  const attempt = (machine: Machine, line: string, stdin = ''): Promise<Outcome> =>
    shell(replaced(line), {
      cwd: join(place, machine),
      stdin,
      env: { HOME: join(place, machine), COFFER_HOME: join(place, machine, 'home'), COFFER_SET_HTTP_IP: `${net}.${MACHINES.indexOf(machine) + 1}` },
    })

  /** Runs a command that must succeed. */
  async function run(machine: Machine, line: string, stdin?: string): Promise<Outcome> {
    const outcome = await attempt(machine, line, stdin)
    expect([machine, line, outcome.code, outcome.err]).toEqual([machine, line, 0, expect.anything()])
    return outcome
  }

  /** Runs a command that must succeed, again while the core does not reach etcd. */
  async function runOnceReachable(machine: Machine, line: string): Promise<Outcome> {
    let outcome: Outcome | undefined
    await expect.poll(async () => (outcome = await attempt(machine, line)).code, EVENT).not.toBe(69)
    expect([machine, line, outcome?.code, outcome?.err]).toEqual([machine, line, 0, expect.anything()])
    return outcome ?? expect.unreachable()
  }

  /** Kills the process of a core, if it runs. */
  async function kill(machine: Machine): Promise<void> {
    const { out } = await attempt(machine, 'coffer status --json')
    const { pid } = (out === '' ? {} : JSON.parse(out)) as { pid?: number }
    if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL')
  }

  /** Starts a member with the settings of the document. */
  function startMember(index: number, clusterToken = 'platform-1'): void {
    const [name, folderOfMember] = [`etcd-${index + 1}`, join(place, `member-${index + 1}`)]
    const settings = (blocks('ini')[0] ?? '').trim().split('\n').map((line) => {
      if (line.startsWith('ETCD_INITIAL_CLUSTER=')) return replaced(line)
      return replaced(line.replaceAll('etcd-1', name).replaceAll('10.0.0.1', `10.0.0.${index + 1}`))
        .replace('/etc/etcd', join(place, 'a', name))
        .replace('/var/lib/etcd', folderOfMember)
        .replace('platform-1', clusterToken)
    })
    mkdirSync(folderOfMember, { recursive: true })
    const log = openSync(join(place, `${name}.log`), 'a')
    const env = Object.fromEntries(settings.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    members[index] = spawn('etcd', [], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', log, log] })
  }

  async function killMember(index: number): Promise<void> {
    const member = members[index]
    if (member === undefined) return
    const ended = new Promise((resolve) => member.once('exit', resolve))
    member.kill('SIGKILL')
    await ended
    members[index] = undefined
  }

  const untilHealthy = (index: number): Promise<void> => expect.poll(() => isHealthy(index), EVENT).toBe(true)

  function isHealthy(index: number): Promise<boolean> {
    const file = (name: string): Buffer => readFileSync(join(place, 'a', 'etcd-1', name))
    return new Promise((resolve) => {
      get(`https://${net}.${index + 1}:2379/health`, { ca: file('ca.pem'), cert: file('etcd-1.crt'), key: file('etcd-1.key'), agent: false, timeout: 2000 }, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString())).on('end', () => resolve(body.includes('"true"')))
      }).on('error', () => resolve(false))
    })
  }

  /** Registers an account at a core; returns the status, and the core where it is. */
  async function register(machine: Machine, username: string): Promise<{ status: number; core: Machine | undefined; error: unknown }> {
    const body = JSON.stringify({ appId: 'test-app', username, password: PASSWORD, email: `${username}@example.org`, language: 'en' })
    const answer = await fetch(`${urls[machine]}/users`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { apiEndpoint, error } = (await answer.json()) as { apiEndpoint?: string; error?: { id: string } }
    return { status: answer.status, core: MACHINES.find((each) => apiEndpoint?.endsWith(`@${new URL(urls[each]).host}/${username}/`)), error: error?.id }
  }

  /** Returns the address of the core of an account, as a core answers it. */
  const lookUp = async (at: Machine, username: string): Promise<unknown> => {
    const answer = await fetch(`${urls[at]}/reg/cores?username=${username}`)
    const { core } = (await answer.json()) as { core?: { url: string } }
    return core?.url ?? answer.status
  }

  const access = (at: Machine, username: string): Promise<Response> => fetch(`${urls[at]}/${username}/access-info`, { headers: { authorization: token } })
  const statuses = (username: string): Promise<number[]> => Promise.all(MACHINES.map(async (machine) => (await access(machine, username)).status))

  /** Returns the ids of the cores that a core sees as running. */
  const liveCores = async (at: Machine): Promise<string[]> => {
    const { cores } = json(await attempt(at, 'coffer cores list --json')) as { cores: { id: string; isLive: boolean }[] }
    return cores.filter(({ isLive }) => isLive).map(({ id }) => id)
  }

  it('is set up by the commands of the document', { timeout: 240_000 }, async () => {
    executed.add(setup.find((line) => line.startsWith('sudo apt')) ?? '')
    await run('a', fromDocument('coffer init'))
    // Members check the address from which others connect; on the loopback, it is this one for all.
    for (const index of [1, 2, 3]) await run('a', fromDocument(`coffer platform issue-certificate etcd-${index} `).replace(' --to', ',127.0.0.1 --to'))
    fromDocument('sudo systemctl restart')
    for (const index of MACHINES.keys()) startMember(index)
    await Promise.all([...MACHINES.keys()].map(untilHealthy))
    await run('a', fromDocument('coffer platform init'))
    await run('a', 'coffer start --detach')
    for (const machine of ['b', 'c'] as const) {
      await run('a', fromDocument(`coffer cores add core-${machine}`))
      for (const suffix of ['bundle', 'pass']) copyFileSync(join(place, 'a', `core-${machine}.${suffix}`), join(place, machine, `core-${machine}.${suffix}`))
      await run(machine, fromDocument(`coffer cores join core-${machine}`))
    }
    const created = await run('a', `${fromDocument('coffer users create')} --password-stdin --json`, PASSWORD)
    token = new URL(String(json(created)['apiEndpoint'])).username
    const found = await fetch(replaced(fromDocument('curl ').slice('curl '.length)))
    expect(await found.json()).toMatchObject({ core: { url: `${urls.a}/` } })
    await expect.poll(async () => (await run('a', fromDocument('coffer cores list'))).out.match(/\trunning\t/g)?.length, EVENT).toBe(3)
    expect(setup.filter((line) => !executed.has(line) && line !== 'coffer start --detach')).toEqual([])
    expect(setup.length).toBeLessThanOrEqual(15)
  })

  it('finds an account from every core, and serves it on one', async () => {
    expect(await Promise.all(MACHINES.map((machine) => lookUp(machine, 'ana-lovelace')))).toEqual(MACHINES.map(() => `${urls.a}/`))
    expect(await statuses('ana-lovelace')).toEqual([200, 421, 421])
    expect(await (await access('c', 'ana-lovelace')).json()).toMatchObject({ error: { id: 'wrong-core', coreUrl: `${urls.a}/` } })
  })

  it('creates a second account on a core with fewer', async () => {
    expect(await register('a', 'ben-franklin')).toMatchObject({ status: 200, core: 'b' })
    expect(await Promise.all(MACHINES.map((machine) => lookUp(machine, 'ben-franklin')))).toEqual(MACHINES.map(() => `${urls.b}/`))
  })

  it('shows three running cores on each', { timeout: 60_000 }, async () => {
    for (const machine of MACHINES) await expect.poll(() => liveCores(machine), EVENT).toEqual(['core-a', 'core-b', 'core-c'])
  })

  it('goes on without a core that was killed', { timeout: 180_000 }, async () => {
    await kill('c')
    await expect.poll(() => liveCores('a'), EVENT).toEqual(['core-a', 'core-b'])
    expect((await access('a', 'ana-lovelace')).status).toBe(200)
    expect((await access('b', 'ana-lovelace')).status).toBe(421)
    expect(await register('b', 'carl-gauss')).toMatchObject({ status: 200, core: 'b' })
    await run('c', 'coffer start --detach')
    await expect.poll(() => liveCores('a'), EVENT).toHaveLength(3)
  })

  it('registers accounts without one member of etcd', { timeout: 120_000 }, async () => {
    await killMember(2)
    let count = 0
    await expect.poll(async () => (await register('a', `dora-${++count}`)).status, EVENT).toBe(200)
    const { members: asked } = json(await run('a', 'coffer platform status --json')) as { members: { problem: string | null }[] }
    expect(asked.filter(({ problem }) => problem === null)).toHaveLength(2)
  })

  it('serves accounts without etcd, and refuses registrations', { timeout: 120_000 }, async () => {
    await killMember(1)
    await killMember(0)
    expect(await access('a', 'ana-lovelace').then(({ status }) => status)).toBe(200)
    await expect.poll(() => register('a', 'eve-mallory'), EVENT).toMatchObject({ status: 503, error: 'platform-unavailable' })
    // Core c was started again, and does not know where the account is.
    expect(await statuses('ana-lovelace')).toEqual([200, 421, 503])
    expect((await attempt('a', fromDocument('coffer platform status'))).code).toBe(69)
  })

  it('is restored on an empty etcd by a check on each core', { timeout: 240_000 }, async () => {
    for (const index of MACHINES.keys()) rmSync(join(place, `member-${index + 1}`), { recursive: true })
    for (const index of MACHINES.keys()) startMember(index, 'platform-2')
    await Promise.all([...MACHINES.keys()].map(untilHealthy))
    // Each core is refused until its record is back.
    let checked: Outcome | undefined
    await expect.poll(async () => (checked = await attempt('b', 'coffer platform check --json')).code, EVENT).toBe(13)
    expect(json(checked ?? expect.unreachable())).toMatchObject({ registry: { lacksCore: true, repaired: false, conflicts: [], absent: [] } })
    for (const machine of MACHINES) await runOnceReachable(machine, fromDocument('coffer platform check --repair'))
    for (const machine of MACHINES) await run(machine, 'coffer platform check')
    for (const machine of MACHINES) await expect.poll(() => liveCores(machine), EVENT).toEqual(['core-a', 'core-b', 'core-c'])
    // Core c never asked for this name before.
    expect(await lookUp('c', 'carl-gauss')).toBe(`${urls.b}/`)
    for (const machine of MACHINES) expect(await lookUp(machine, 'ana-lovelace')).toBe(`${urls.a}/`)
    expect(await register('a', 'carl-gauss')).toMatchObject({ status: 409 })
    let count = 0
    await expect.poll(async () => (await register('a', `fay-${++count}`)).status, EVENT).toBe(200)
  })
})
