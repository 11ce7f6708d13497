/** Tests of the text of systemd units, with systemd-analyze when it is installed. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeOfUnit, unitText, writesOfUnit, type Unit } from '../../../../src/cli/commands/service/shared/unit.js'

const userUnit: Unit = {
  scope: 'user',
  home: '/home/ana/data',
  command: [process.execPath, '/opt/coffer.js', 'start', '--home', '/home/ana/data'],
  writes: ['/home/ana/data'],
  environment: {},
  notifies: true,
  bindsLowPort: false,
  needsHomes: true,
  needsTmp: false,
  separatesUsers: true,
}
const systemUnit: Unit = { ...userUnit, scope: 'system', home: '/srv/c', writes: ['/srv/c'], runAs: 'daemon', needsHomes: false }

const lines = (unit: Unit): string[] => unitText(unit).split('\n')

describe('a unit', () => {
  it.each<[string, Unit, string[], RegExp[]]>([
    ['of a user drops no capabilities, which would prevent its start', userUnit, ['WantedBy=default.target', 'PrivateUsers=yes'], [/^Capability|^PrivateDevices|^Protect(Kernel|Clock)|^User=/]],
    ['of a user without user namespaces requests none', { ...userUnit, separatesUsers: false }, ['ProtectSystem=strict'], [/^PrivateUsers/]],
    ['of the system is confined further', systemUnit, ['User=daemon', 'WantedBy=multi-user.target', 'CapabilityBoundingSet=', 'ProtectHome=yes', 'PrivateTmp=yes'], []],
    ['permits the JIT compiler', systemUnit, ['MemoryDenyWriteExecute=no', 'ProtectSystem=strict', 'ReadWritePaths=/srv/c', 'LimitNOFILE=65536'], []],
    ['waits for open requests at stop, and restarts after failures', userUnit, ['TimeoutStopSec=45', 'Restart=on-failure', 'RestartPreventExitStatus=2 4 6 10 11 12 13', 'StartLimitBurst=3'], []],
    ['expects notifications of the node', userUnit, ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=60'], []],
    ['expects no notifications when systemd-notify is missing', { ...userUnit, notifies: false }, ['Type=exec'], [/^Watchdog|^NotifyAccess/]],
    ['permits to bind a low port', { ...systemUnit, bindsLowPort: true }, ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'AmbientCapabilities=CAP_NET_BIND_SERVICE'], []],
    ['permits to read home folders', { ...systemUnit, needsHomes: true, needsTmp: true }, ['ProtectHome=read-only', 'PrivateTmp=no'], []],
    ['sets the environment of the installing user', { ...userUnit, environment: { XDG_DATA_HOME: '/d 50%' } }, ['Environment="XDG_DATA_HOME=/d 50%%"'], []],
    [
      'escapes expansions in paths',
      { ...systemUnit, command: ['/usr/bin/node', '/a b/$HOME/%h/"q"\\x'], writes: ['/a b/$HOME/%h', '/c'] },
      ['ExecStart=/usr/bin/node "/a b/$$HOME/%%h/\\"q\\"\\\\x"', 'ReadWritePaths="/a b/$HOME/%%h" /c'],
      [],
    ],
  ])('%s', (_, unit, has, hasNot) => {
    expect(lines(unit)).toEqual(expect.arrayContaining(has))
    for (const pattern of hasNot) expect(lines(unit).filter((line) => pattern.test(line))).toEqual([])
  })

  it('lists the writable folders', () => {
    const writes = ['/a b/$HOME/%h/"q"\\x', '/c']
    expect(writesOfUnit(unitText({ ...systemUnit, writes }))).toEqual(writes)
  })

  it('states the home of its node', () => {
    expect(homeOfUnit(unitText(userUnit))).toBe('/home/ana/data')
    expect(homeOfUnit('[Unit]\nDescription=another')).toBeUndefined()
  })
})

const [version = '0'] = /\d+/.exec(spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? []
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasAnalyze) console.warn('systemd-analyze is not installed: units are not verified by systemd.')

it.skipIf(Number(version) < 250)('a system unit has a low exposure level by systemd-analyze', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-unit-'))
  try {
    const file = join(folder, 'coffer.service')
    writeFileSync(file, unitText(systemUnit))
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], { encoding: 'utf8' })
    const exposure = Number(/exposure level for coffer\.service: ([\d.]+)/.exec(stdout)?.[1])
    // The level is out of 10; network access and systemd-notify remain.
    expect(exposure).toBeLessThan(3)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe.skipIf(!hasAnalyze)('systemd-analyze verifies', () => {
  it.each([
    ['a user unit', userUnit],
    ['a system unit', systemUnit],
    ['special characters in paths', { ...systemUnit, command: ['/bin/true', '/a b/%h$X"'], writes: ['/tmp/a b%'], bindsLowPort: true, notifies: false }],
  ])('%s', (_, unit) => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-unit-'))
    try {
      const file = join(folder, 'coffer.service')
      writeFileSync(file, unitText(unit))
      const env = { ...process.env, XDG_RUNTIME_DIR: folder }
      const words = ['verify', '--man=no', ...(unit.scope === 'user' ? ['--user'] : []), file]
      const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8', env })
      // Ignores messages about other units of the machine.
      expect(stderr.split('\n').filter((line) => line.includes('coffer.service'))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
