/** The text of a systemd unit that runs a node. See systemd.service(5) and systemd.exec(5). */

/** Who runs the unit: the person's own service manager, or that of the machine. */
export type Scope = 'user' | 'system'

export interface Unit {
  scope: Scope
  home: string
  /** The command that runs the node, as words. */
  command: readonly string[]
  /** Folders that the node writes to; all others are read-only for it. */
  writes: readonly string[]
  /** Variables by which the node finds the places that the person who installs it sees. */
  environment: Readonly<Record<string, string>>
  /** The account of the machine that a system unit runs as. */
  runAs?: string
  /** Whether the node can tell the service manager how it is: needs systemd-notify. */
  notifies: boolean
  /** Whether it listens on a port that only root may take. */
  bindsLowPort: boolean
  /** Whether something that it reads or writes is in the home of a person. */
  needsHomes: boolean
  /** Whether something that it needs is in the temporary folder that all share, such as its control socket. */
  needsTmp: boolean
  /** Whether the account that runs a user unit may make a namespace of users, without which nothing is read-only for it. */
  separatesUsers: boolean
}

/** The node finishes open requests for up to 30 seconds, and then closes its store. */
const STOP_S = 45
/** Opening reads every file of the store. */
const START_S = 600
const WATCHDOG_S = 60

/** What opens a unit that coffer wrote; the home follows. */
const MARK = '# Written by coffer service install, for '

/** The home that a unit was written for; undefined for units that coffer did not write. */
export function homeOfUnit(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length).split('\n')[0] : undefined
}

/** The folders that a unit lets the node write to. */
export function writesOfUnit(text: string): string[] {
  const line = /^ReadWritePaths=(.*)$/m.exec(text)?.[1] ?? ''
  const words = line.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []
  return words.map((word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word).replaceAll('%%', '%'))
}

/** The whole unit. */
export function unitText(unit: Unit): string {
  const { scope, home, command, runAs, notifies, environment } = unit
  const lines = [
    `${MARK}${home}`,
    '# Change it with: systemctl edit, which coffer leaves alone.',
    '[Unit]',
    'Description=coffer, a personal data node',
    'Documentation=man:coffer(1)',
    ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '# A node that cannot start is left alone after three attempts.',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=3',
    '',
    '[Service]',
    ...(notifies
      ? ['Type=notify', '# systemd-notify, which the node calls, has a process of its own.', 'NotifyAccess=all', `WatchdogSec=${WATCHDOG_S}`]
      : ['Type=exec']),
    `ExecStart=${command.map(unitWord).join(' ')}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`.replaceAll('%', '%%'))}`),
    ...(runAs === undefined ? [] : [`User=${runAs}`]),
    'Restart=on-failure',
    'RestartSec=5',
    '# Wrong usage, no permission, no store, a held store, a wrong passphrase, damage: starting again mends none of them.',
    'RestartPreventExitStatus=2 4 10 11 12 13',
    `TimeoutStartSec=${START_S}`,
    `TimeoutStopSec=${STOP_S}`,
    'KillMode=mixed',
    'SyslogIdentifier=%N',
    'LimitNOFILE=65536',
    'UMask=0077',
    '',
    '# What it may do. MemoryDenyWriteExecute stays off: JavaScript is compiled while it runs.',
    ...confinement(unit),
    '',
    '[Install]',
    `WantedBy=${scope === 'user' ? 'default.target' : 'multi-user.target'}`,
  ]
  return `${lines.join('\n')}\n`
}

function confinement({ scope, writes, bindsLowPort, needsHomes, needsTmp, separatesUsers }: Unit): string[] {
  const capability = bindsLowPort ? 'CAP_NET_BIND_SERVICE' : ''
  return [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    `ReadWritePaths=${writes.map((path) => quoted(path.replaceAll('%', '%%'))).join(' ')}`,
    'MemoryDenyWriteExecute=no',
    'LockPersonality=yes',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service @pkey',
    'SystemCallErrorNumber=EPERM',
    ...(scope === 'user'
      ? // A service manager of a person may take no capabilities away: a unit that asks for it does not start (218).
        // In a namespace of users it may make folders read-only; without one older ones leave them as they are.
        separatesUsers
        ? ['PrivateUsers=yes']
        : []
      : [
          `CapabilityBoundingSet=${capability}`,
          `AmbientCapabilities=${capability}`,
          `ProtectHome=${needsHomes ? 'read-only' : 'yes'}`,
          `PrivateTmp=${needsTmp ? 'no' : 'yes'}`,
          'PrivateDevices=yes',
          'ProtectClock=yes',
          'ProtectControlGroups=yes',
          'ProtectHostname=yes',
          'ProtectKernelLogs=yes',
          'ProtectKernelModules=yes',
          'ProtectKernelTunables=yes',
          'ProtectProc=invisible',
          'RemoveIPC=yes',
        ]),
  ]
}

/** A word of a command: nothing in it is expanded. */
function unitWord(word: string): string {
  return quoted(word.replaceAll('%', '%%').replaceAll('$', '$$$$'))
}

function quoted(word: string): string {
  return /^[\w@%+=:,./$-]+$/.test(word) ? word : `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
