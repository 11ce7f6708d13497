/** Generates the text of a systemd unit that runs a node. See systemd.service(5) and systemd.exec(5). */

/** The service manager that runs the unit: that of the user, or that of the system. */
export type Scope = 'user' | 'system'

export interface Unit {
  scope: Scope
  home: string
  /** Command line of the node, as words. */
  command: readonly string[]
  /** Folders that the node writes to; all others are read-only for it. */
  writes: readonly string[]
  /** Environment variables by which the node finds the same folders as the user who installs it. */
  environment: Readonly<Record<string, string>>
  /** Account that a system unit runs as. */
  runAs?: string
  /** True when the node can send its state to the service manager: requires systemd-notify. */
  notifies: boolean
  /** True when the node listens on a privileged port. */
  bindsLowPort: boolean
  /** True when the node needs files in a user's home folder. */
  needsHomes: boolean
  /** True when the node needs the shared temporary folder, such as for its control socket. */
  needsTmp: boolean
  /** True when the account of a user unit may create user namespaces, which read-only folders require. */
  separatesUsers: boolean
}

/** Timeout for stopping, in seconds: open requests may take 30 seconds, then the store is closed. */
const STOP_S = 45
/** Timeout for starting, in seconds: opening reads every file of the store. */
const START_S = 600
const WATCHDOG_S = 60

/** First line of a unit written by coffer; the home follows. */
const MARK = '# Written by coffer service install, for '

/** Returns the home of a unit; undefined for units that coffer did not write. */
export function homeOfUnit(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length).split('\n')[0] : undefined
}

/** Returns the folders that a unit lets the node write to. */
export function writesOfUnit(text: string): string[] {
  const line = /^ReadWritePaths=(.*)$/m.exec(text)?.[1] ?? ''
  const words = line.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []
  return words.map((word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word).replaceAll('%%', '%'))
}

/** Returns the text of the unit. */
export function unitText(unit: Unit): string {
  const { scope, home, command, runAs, notifies, environment } = unit
  const lines = [
    `${MARK}${home}`,
    '# To change it, use systemctl edit; coffer keeps those changes.',
    '[Unit]',
    'Description=coffer, a personal data node',
    'Documentation=man:coffer(1)',
    ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '# Give up after three failed starts.',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=3',
    '',
    '[Service]',
    ...(notifies
      ? ['Type=notify', '# The node calls systemd-notify, which is a process of its own.', 'NotifyAccess=all', `WatchdogSec=${WATCHDOG_S}`]
      : ['Type=exec']),
    `ExecStart=${command.map(unitWord).join(' ')}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`.replaceAll('%', '%%'))}`),
    ...(runAs === undefined ? [] : [`User=${runAs}`]),
    'Restart=on-failure',
    'RestartSec=5',
    '# Wrong usage, no permission, a store of a newer coffer, no store, a locked store, a wrong passphrase, damage: a restart fixes none of them.',
    'RestartPreventExitStatus=2 4 6 10 11 12 13',
    `TimeoutStartSec=${START_S}`,
    `TimeoutStopSec=${STOP_S}`,
    'KillMode=mixed',
    'SyslogIdentifier=%N',
    'LimitNOFILE=65536',
    'UMask=0077',
    '',
    '# Sandbox. MemoryDenyWriteExecute stays off: JavaScript is compiled while it runs.',
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
      ? // A user service manager may not drop capabilities: a unit that requests it does not start (218).
        // With user namespaces it can make folders read-only; without them, older versions leave them writable.
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

/** Quotes a word of a command against expansion. */
function unitWord(word: string): string {
  return quoted(word.replaceAll('%', '%%').replaceAll('$', '$$$$'))
}

function quoted(word: string): string {
  return /^[\w@%+=:,./$-]+$/.test(word) ? word : `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
