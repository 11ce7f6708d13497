/** The node as a service of a running systemd: the unit, and `coffer service`. Part of the long run: LONG=1. */
import { beforeAll, describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { lacksMachine, waitUntil, withMachine } from './support/machine.js'
import { LONG } from './support/needs.js'

const lack = LONG ? lacksMachine() : 'LONG=1 runs it'
const machine = withMachine(lack === undefined)
const HOME = '/var/lib/coffer'
const FILE = '/etc/systemd/system/coffer.service'

const coffer = (line: string): ReturnType<ReturnType<typeof machine>['coffer']> => machine().coffer(`${line} --home ${HOME}`)
const json = (line: string): Record<string, unknown> => machine().json(`${line} --home ${HOME}`)
const systemctl = (...words: string[]): string => machine().done('systemctl', ...words)
/** Returns the properties of the unit. */
const unit = (): Record<string, string> =>
  Object.fromEntries(
    systemctl('show', 'coffer', '--property=ActiveState,SubState,Result,MainPID,NRestarts,ExecMainStatus')
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )
const journal = (): string[] => machine().done('journalctl', '--identifier=coffer', '--output=cat', '--no-pager').trim().split('\n')
/** Overrides settings of the unit with a drop-in file. */
const edit = (text: string): void => {
  machine().shell(`mkdir -p ${FILE}.d && printf '${text}' > ${FILE}.d/test.conf && systemctl daemon-reload`)
}
/** Checks from within the machine that the node answers. */
const answers = (): boolean => machine().run(process.execPath, '--eval', 'fetch("http://127.0.0.1:3000/service/info").then(({ status }) => process.exit(status === 200 ? 0 : 1), () => process.exit(1))').code === 0

describe.skipIf(lack !== undefined)(`a system service${lack === undefined ? '' : `: ${lack}`}`, () => {
  beforeAll(() => {
    build()
    machine().done('useradd', '--system', '--create-home', '--home-dir', HOME, '--shell', '/usr/sbin/nologin', 'coffer')
  })

  it('is not installed for a home that its user cannot read', () => {
    expect(coffer('service status --system').code).toBe(5)
    const empty = coffer('service install --system --yes')
    expect([empty.code, empty.err]).toEqual([10, expect.stringContaining('sudo -u coffer coffer init')])
    expect(coffer('init').code).toBe(0)
    const foreign = coffer('service install --system --yes --run-as coffer')
    expect([foreign.code, foreign.err]).toEqual([4, expect.stringContaining(`chown -R coffer: ${HOME}`)])
    expect(machine().run('test', '-e', FILE).code).toBe(1)
    machine().done('chown', '-R', 'coffer:', HOME)
  })

  it('is active once the node answers, and starts with the machine', () => {
    expect(coffer('service install --system --yes').code).toBe(0)
    expect(answers()).toBe(true)
    expect(json('service status --system')).toMatchObject({ enabled: true, active: true, state: 'active (running)', home: HOME })
    systemctl('stop', 'coffer')
    expect(coffer('service status --system')).toMatchObject({ code: 7, out: expect.stringContaining('inactive (dead)') as string })
    systemctl('isolate', 'multi-user.target')
    waitUntil(() => unit()['ActiveState'] === 'active', 'the node is started')
    expect(answers()).toBe(true)
  })

  it('works within the sandbox of its unit, and for commands of root', () => {
    machine().shell('head -c 2000000 /dev/urandom > /root/a.bin && install --owner=coffer --mode=600 /root/a.bin /var/lib/coffer/a.bin && printf "correct horse battery" > /root/password')
    expect(coffer('users create ana-lovelace --email ana@example.org --password-file /root/password').code).toBe(0)
    json('streams create diary --id diary')
    const create = 'events create --user ana-lovelace --stream diary --type file/attached --attach'
    expect(coffer(`${create} ${HOME}/a.bin`).code).toBe(0)
    const { MainPID } = unit()
    expect(coffer(`${create} /root/a.bin`)).toMatchObject({ code: 5, err: expect.stringContaining('by the node') as string })
    expect(unit()).toMatchObject({ ActiveState: 'active', MainPID, NRestarts: '0' })
    expect(machine().run('nsenter', '-t', MainPID ?? '', '-m', 'touch', '/etc/x', '/var/lib/x').err).toContain('Read-only file system')
    machine().shell('mkdir /srv/backups && chown coffer: /srv/backups')
    const planned = coffer('backup schedule --to /srv/backups --every 1d')
    expect([planned.code, planned.err]).toEqual([0, expect.stringContaining('coffer service install --system')])
    expect(coffer('service install --system --yes').code).toBe(0)
    waitUntil(() => machine().run('sh', '-c', 'ls -d /srv/backups/2*').code === 0, 'a backup is made')
    expect(coffer('restart').code).toBe(0)
    expect(unit()).toMatchObject({ ActiveState: 'active', NRestarts: '0' })
    expect(coffer('users list -q').out).toContain('ana-lovelace')
  })

  it('is restarted when it is killed', () => {
    const { MainPID } = unit()
    systemctl('kill', '--signal=KILL', 'coffer')
    // systemd may still report it as active, without a process.
    waitUntil(() => {
      const now = unit()
      return now['ActiveState'] === 'active' && now['MainPID'] !== MainPID && now['MainPID'] !== '0'
    }, 'the node is restarted')
    expect(unit()).toMatchObject({ NRestarts: '1' })
    expect(coffer('users list -q').out).toContain('ana-lovelace')
  })

  it('is restarted when it hangs, but not while it works', () => {
    edit('[Service]\\nWatchdogSec=5\\n')
    systemctl('restart', 'coffer')
    const { MainPID } = unit()
    machine().done('sleep', '12')
    expect(unit()).toMatchObject({ ActiveState: 'active', MainPID, NRestarts: '0' })
    machine().done('kill', '-STOP', MainPID ?? '')
    waitUntil(() => unit()['NRestarts'] === '1' && unit()['ActiveState'] === 'active', 'the node is restarted')
    expect(machine().done('journalctl', '--unit=coffer', '--no-pager')).toContain('Watchdog timeout')
    edit('')
  })

  it('stops cleanly and logs JSON lines', () => {
    systemctl('restart', 'coffer')
    systemctl('stop', 'coffer')
    expect(unit()).toMatchObject({ ActiveState: 'inactive', Result: 'success', ExecMainStatus: '0' })
    const lines = journal()
    expect(lines.map((line) => JSON.parse(line) as unknown).at(-1)).toEqual({ event: 'stopped' })
    expect(lines.length).toBeGreaterThan(5)
  })

  it('is not restarted after failures that a restart cannot fix', () => {
    machine().shell(`setsid runuser -u coffer -- ${process.execPath} /opt/coffer/bin/coffer.js start --home ${HOME} --detach --quiet`)
    expect(machine().run('systemctl', 'start', 'coffer').code).toBe(1)
    expect(unit()).toMatchObject({ ActiveState: 'failed', ExecMainStatus: '11', NRestarts: '0' })
    expect(coffer('service status --system')).toMatchObject({ code: 7, err: expect.stringContaining('The service failed (exit 11, store locked)') as string })
    expect(coffer('service install --system --yes')).toMatchObject({ code: 6, err: expect.stringContaining('coffer stop') as string })
    expect(coffer('stop').code).toBe(0)
    expect(coffer('service install --system --yes').code).toBe(0)
    systemctl('stop', 'coffer')
    machine().shell(`dd if=/dev/urandom of=$(ls ${HOME}/store/db/*.log | tail -1) bs=1 count=64 conv=notrunc 2>&1`)
    expect(machine().run('systemctl', 'start', 'coffer').code).toBe(1)
    expect(unit()).toMatchObject({ ActiveState: 'failed', ExecMainStatus: '13', NRestarts: '0' })
  })

  it('leaves only the home when it is uninstalled', () => {
    expect(coffer('service uninstall --system --yes').code).toBe(0)
    expect(machine().done('systemctl', 'list-units', '--all', '--plain', '--no-legend', 'coffer*')).toBe('')
    expect(machine().shell('find /etc/systemd /run/systemd -name "coffer.service"')).toBe('')
    expect(coffer('service status --system').code).toBe(5)
    expect(machine().run('test', '-d', `${HOME}/store`).code).toBe(0)
  })
})

describe.skipIf(lack !== undefined)(`a user service${lack === undefined ? '' : `: ${lack}`}`, () => {
  const as = 'ana'
  let uid: string
  beforeAll(() => {
    build()
    machine().done('useradd', '--create-home', as)
    uid = machine().done('id', '-u', as).trim()
    systemctl('start', `user@${uid}`)
  })
  const mine = (...words: string[]): string => machine().done('runuser', '-u', as, '--', 'env', `XDG_RUNTIME_DIR=/run/user/${uid}`, 'systemctl', '--user', ...words)

  it('runs in its sandbox, is restarted when it is killed, and can be uninstalled', () => {
    expect(machine().coffer('init', as).code).toBe(0)
    const installed = machine().coffer('service install --yes', as)
    expect(installed.code, installed.err).toBe(0)
    expect(machine().json('service status', as)).toMatchObject({ scope: 'user', active: true, enabled: true })
    expect(machine().json('status', as)).toMatchObject({ running: true })
    const first = mine('show', 'coffer', '--property=MainPID', '--value').trim()
    const mounts = machine().done('cat', `/proc/${first}/mountinfo`).split('\n')
    expect(mounts.find((line) => line.split(' ')[4] === '/')?.split(' ')[5]).toMatch(/^ro,/)
    expect(mounts.find((line) => line.split(' ')[4] === `/home/${as}/.local/share/coffer`)?.split(' ')[5]).toMatch(/^rw,/)
    mine('kill', '--signal=KILL', 'coffer')
    waitUntil(() => mine('show', 'coffer', '--property=ActiveState,NRestarts').includes('NRestarts=1') && mine('show', 'coffer', '--property=ActiveState').includes('=active'), 'the node is restarted')
    expect(machine().coffer('service uninstall --yes', as).code).toBe(0)
    expect(machine().coffer('service status', as).code).toBe(5)
    expect(mine('list-units', '--all', '--plain', '--no-legend', 'coffer*')).toBe('')
  })
})
