/** The text of units: what systemd is asked to do, and that it understands it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeOfUnit, unitText, writesOfUnit, type Unit } from '../../../../src/cli/commands/service/shared/unit.js'

const mine: Unit = {
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
const machines: Unit = { ...mine, scope: 'system', home: '/srv/c', writes: ['/srv/c'], runAs: 'daemon', needsHomes: false }

const lines = (unit: Unit): string[] => unitText(unit).split('\n')

describe('a unit', () => {
  it.each<[string, Unit, string[], RegExp[]]>([
    ['of an account takes no capability away, which would keep it from starting', mine, ['WantedBy=default.target', 'PrivateUsers=yes'], [/^Capability|^PrivateDevices|^Protect(Kernel|Clock)|^User=/]],
    ['of an account that may have no namespaces asks for none', { ...mine, separatesUsers: false }, ['ProtectSystem=strict'], [/^PrivateUsers/]],
    ['of the machine is confined further', machines, ['User=daemon', 'WantedBy=multi-user.target', 'CapabilityBoundingSet=', 'ProtectHome=yes', 'PrivateTmp=yes'], []],
    ['stays able to compile', machines, ['MemoryDenyWriteExecute=no', 'ProtectSystem=strict', 'ReadWritePaths=/srv/c', 'LimitNOFILE=65536'], []],
    ['stops no sooner than open requests may take, and is started again when it failed', mine, ['TimeoutStopSec=45', 'Restart=on-failure', 'RestartPreventExitStatus=2 4 10 11 12 13', 'StartLimitBurst=3'], []],
    ['is told of by the node', mine, ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=60'], []],
    ['goes without that where nothing can tell', { ...mine, notifies: false }, ['Type=exec'], [/^Watchdog|^NotifyAccess/]],
    ['may take a low port', { ...machines, bindsLowPort: true }, ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'AmbientCapabilities=CAP_NET_BIND_SERVICE'], []],
    ['reads what is in homes', { ...machines, needsHomes: true, needsTmp: true }, ['ProtectHome=read-only', 'PrivateTmp=no'], []],
    ['has the variables of who installs it', { ...mine, environment: { XDG_DATA_HOME: '/d 50%' } }, ['Environment="XDG_DATA_HOME=/d 50%%"'], []],
    [
      'expands nothing in names',
      { ...machines, command: ['/usr/bin/node', '/a b/$HOME/%h/"q"\\x'], writes: ['/a b/$HOME/%h', '/c'] },
      ['ExecStart=/usr/bin/node "/a b/$$HOME/%%h/\\"q\\"\\\\x"', 'ReadWritePaths="/a b/$HOME/%%h" /c'],
      [],
    ],
  ])('%s', (_, unit, has, hasNot) => {
    expect(lines(unit)).toEqual(expect.arrayContaining(has))
    for (const pattern of hasNot) expect(lines(unit).filter((line) => pattern.test(line))).toEqual([])
  })

  it('says what it lets the node write to', () => {
    const writes = ['/a b/$HOME/%h/"q"\\x', '/c']
    expect(writesOfUnit(unitText({ ...machines, writes }))).toEqual(writes)
  })

  it('says whose it is', () => {
    expect(homeOfUnit(unitText(mine))).toBe('/home/ana/data')
    expect(homeOfUnit('[Unit]\nDescription=another')).toBeUndefined()
  })
})

const [version = '0'] = /\d+/.exec(spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? []
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasAnalyze) console.warn('systemd-analyze is not there: what systemd thinks of the units is not tested.')

it.skipIf(Number(version) < 250)('a unit of the machine leaves little open, as systemd counts it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-unit-'))
  try {
    const file = join(folder, 'coffer.service')
    writeFileSync(file, unitText(machines))
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], { encoding: 'utf8' })
    const exposure = Number(/exposure level for coffer\.service: ([\d.]+)/.exec(stdout)?.[1])
    // Of ten; what is left is the network, and that systemd-notify may speak for the node.
    expect(exposure).toBeLessThan(3)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe.skipIf(!hasAnalyze)('systemd understands', () => {
  it.each([
    ['the unit of an account', mine],
    ['that of the machine', machines],
    ['odd names', { ...machines, command: ['/bin/true', '/a b/%h$X"'], writes: ['/tmp/a b%'], bindsLowPort: true, notifies: false }],
  ])('%s', (_, unit) => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-unit-'))
    try {
      const file = join(folder, 'coffer.service')
      writeFileSync(file, unitText(unit))
      const env = { ...process.env, XDG_RUNTIME_DIR: folder }
      const words = ['verify', '--man=no', ...(unit.scope === 'user' ? ['--user'] : []), file]
      const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8', env })
      // Other units of the machine, and its missing parts, are not ours.
      expect(stderr.split('\n').filter((line) => line.includes('coffer.service'))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
