/** Tests of `coffer service` with a systemctl stub that records its calls, and of notifications to the service manager. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serviceManager } from '../../../../src/cli/client/serviceManager.js'
import { createLog } from '../../../../src/server/base/log.js'
import { coffer } from '../../support/testTerminal.js'

let root: string
let env: Record<string, string>
const file = (): string => join(root, 'config/systemd/user/coffer.service')
const systemctlCalls = (): string[] => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n') : [])
const program = (name: string, script: string): void => {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(root, 'bin', name), 0o755)
}
const systemctl = (state = 'inactive', more = ''): void =>
  program('systemctl', `echo "$@" >> ${join(root, 'calls')}\n${more}\ncase "$*" in *ActiveState*) printf 'ActiveState=${state}\\nSubState=x\\nMainPID=77\\nUnitFileState=enabled\\nResult=success\\n';; esac`)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coffer-service-'))
  for (const name of ['bin', 'home/store']) mkdirSync(join(root, name), { recursive: true })
  env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, HOME: root, XDG_CONFIG_HOME: join(root, 'config'), COFFER_HOME: join(root, 'home') }
  systemctl()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('coffer service', () => {
  it('prints the unit without installing it with --print', async () => {
    const { code, out } = await coffer('service install --user --print', { env })
    expect([code, existsSync(file()), systemctlCalls()]).toEqual([0, false, []])
    expect(out).toContain(` start --home ${join(root, 'home')}\n`)
    const { text, ...rest } = JSON.parse((await coffer('service install --user --print --json', { env })).out) as Record<string, unknown>
    expect([text, rest]).toEqual([out, { unit: 'coffer.service', file: file(), scope: 'user', home: join(root, 'home') }])
  })

  it('installs, reports the status, and uninstalls', async () => {
    expect((await coffer('service status --user', { env })).code).toBe(5)
    const installed = await coffer('service install --user --yes --json', { env })
    expect([installed.code, JSON.parse(installed.out)]).toMatchObject([0, { unit: 'coffer.service', file: file(), changed: true }])
    expect(readFileSync(file(), 'utf8')).toBe((await coffer('service install --user --print', { env })).out)
    expect(systemctlCalls().slice(-3)).toEqual(['--user daemon-reload', '--user enable coffer.service', '--user restart coffer.service'])
    expect((await coffer('service status --user', { env })).code).toBe(7)
    systemctl('active')
    const status = await coffer('service status --user --json', { env })
    expect([status.code, JSON.parse(status.out)]).toMatchObject([0, { active: true, enabled: true, pid: 77, home: join(root, 'home') }])
    expect(JSON.parse((await coffer('service install --user --yes --json', { env })).out)).toMatchObject({ changed: false })
    expect((await coffer('service uninstall --user --yes', { env })).code).toBe(0)
    expect(systemctlCalls().slice(-3)).toEqual(['--user disable --now coffer.service', '--user daemon-reload', '--user reset-failed coffer.service'])
    expect([existsSync(file()), existsSync(join(root, 'home/store'))]).toEqual([false, true])
    expect((await coffer('service uninstall --user --yes', { env })).code).toBe(5)
  })

  it('shows the unit and requires a confirmation', async () => {
    const no = await coffer('service install --user', { env, tty: true, stdin: 'n\n' })
    expect([no.code, existsSync(file())]).toEqual([130, false])
    expect(no.err).toContain('ProtectSystem=strict')
    const unconfirmed = await coffer('service install --user', { env })
    expect([unconfirmed.code, existsSync(file())]).toEqual([2, false])
    expect(unconfirmed.err).toContain('--yes is missing')
  })

  it.each<[string, string, () => void, number, string]>([
    ['--user with --system', 'service install --user --system', () => undefined, 2, 'exclude each other'],
    ['an invalid name', 'service install --user --unit ../x', () => undefined, 2, '--unit takes'],
    ['--run-as for a user service', 'service install --user --run-as daemon', () => undefined, 2, '--run-as requires --system'],
    ['an unknown account', 'service install --system --print --run-as no-such-account', () => undefined, 2, 'no account "no-such-account"'],
    ['a home without a store', 'service install --user --yes', () => rmSync(join(root, 'home'), { recursive: true }), 10, 'coffer init'],
    ['a home of another account', 'service install --system --yes --run-as nobody', () => undefined, 4, 'chown -R nobody: '],
    ['a key in the keychain', 'service install --system --yes --run-as root', () => keyOf({ keptBy: 'keychain', entry: 'node-0' }), 2, 'store rekey --keep-key file'],
    ['a key with a passphrase', 'service install --user --yes', () => keyOf({ keptBy: 'passphrase', sealing }), 2, '--passphrase-file <file>'],
    ['a machine without systemd', 'service install --user --yes', () => program('systemctl', 'echo "Failed to connect to bus" >&2; exit 1'), 1, 'coffer start'],
    ['a failure of systemctl', 'service install --user --yes', () => systemctl('inactive', 'case "$*" in *enable*) echo "Access denied" >&2; exit 4;; esac'), 4, 'sudo'],
    ['an existing unit not written by coffer', 'service install --user --yes', () => foreign('[Unit]\n'), 6, 'was not written by coffer'],
    ['the unit of another node', 'service install --user --yes', () => foreign('# Written by coffer service install, for /srv/b\n'), 6, 'runs the node of /srv/b'],
  ])('refuses %s', async (_, line, given, exit, says) => {
    given()
    const { code, err } = await coffer(line, { env })
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })
})

const sealing = { by: 'argon2id', salt: '', memory: 8, passes: 1, lanes: 1, key: '' }
const keyOf = (storage: unknown): void => writeFileSync(join(root, 'home/node.key'), JSON.stringify(storage), { mode: 0o600 })

it('the unit names the passphrase file', async () => {
  keyOf({ keptBy: 'passphrase', sealing })
  expect((await coffer('service install --user --yes --passphrase-file /etc/pass', { env })).code).toBe(0)
  expect(readFileSync(file(), 'utf8')).toContain(' --passphrase-file /etc/pass\n')
})

it('backup schedule warns about a folder that the unit does not make writable', async () => {
  await coffer('service install --user --yes --unit notes', { env })
  const planned = await coffer('backup schedule --to /srv/backups --every 1d', { env })
  expect([planned.code, planned.err]).toEqual([0, expect.stringContaining('notes.service does not let the node write to /srv/backups')])
  expect(planned.err).toContain('coffer service install --user --unit notes')
  await coffer('service install --user --yes --unit notes', { env: { ...env, COFFER_SET_BACKUP_TO: join(root, 'backups') } })
  expect((await coffer(`backup schedule --to ${join(root, 'backups')}`, { env })).err).not.toContain('does not let')
})

function foreign(text: string): void {
  mkdirSync(join(root, 'config/systemd/user'), { recursive: true })
  writeFileSync(file(), text)
}

describe('notifications to the service manager', () => {
  const manager = (variables: Record<string, string>, wrong?: string): { notifications: string[]; logged: string[]; ready(): Promise<void>; stopping(): Promise<void> } => {
    const notifications: string[] = []
    const logged: string[] = []
    const log = createLog('info', () => 0, (line) => void logged.push(line))
    const one = serviceManager(variables, log, async (...words) => {
      notifications.push(words.join(' '))
      return wrong
    })
    return { notifications, logged, ready: () => one.ready('Open'), stopping: () => one.stopping() }
  }
  afterEach(() => void vi.useRealTimers())

  it('are not sent without NOTIFY_SOCKET', async () => {
    const { notifications, ready, stopping } = manager({})
    await ready()
    await stopping()
    expect(notifications).toEqual([])
  })

  it('are sent at start and stop, and twice per watchdog period', async () => {
    vi.useFakeTimers()
    const { notifications, ready, stopping } = manager({ NOTIFY_SOCKET: '/x', WATCHDOG_USEC: '60000000', WATCHDOG_PID: String(process.pid) })
    await ready()
    await vi.advanceTimersByTimeAsync(60_000)
    await stopping()
    expect(notifications).toEqual(['READY=1 STATUS=Open', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1 STATUS=Finishing open requests'])
  })

  it('omit the watchdog of another process', async () => {
    vi.useFakeTimers()
    const { notifications, ready } = manager({ NOTIFY_SOCKET: '/x', WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' })
    await ready()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(notifications).toEqual(['READY=1 STATUS=Open'])
  })

  it('are logged when they fail', async () => {
    const { logged, ready } = manager({ NOTIFY_SOCKET: '/x' }, 'no such socket')
    await ready()
    expect(logged.join('')).toContain('no such socket')
  })

  it('are sent by systemd-notify', async () => {
    program('systemd-notify', `printf '%s|' "$@" >> ${join(root, 'notifications')}`)
    await serviceManager({ ...env, NOTIFY_SOCKET: '/x' }, createLog('info', () => 0, () => undefined)).ready('Open at it')
    expect(readFileSync(join(root, 'notifications'), 'utf8')).toBe('READY=1|STATUS=Open at it|')
  })
})
