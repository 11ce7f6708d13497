import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, productVersion } from '../../../server/base/version.js'
import { runningNode } from '../../client/runningNode.js'
import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { wrap } from '../../terminal/output/text.js'
import { unitsOf } from '../service/shared/installed.js'
import { isOlder } from './shared/versionOrder.js'
import { installationOf, type Installation } from './update/installation.js'
import type { Published } from './update/registry.js'
import { releasesSince, type Release } from './update/releases.js'

/** Time limit for the answer of the node, in milliseconds. */
const NODE_TIMEOUT_MS = 10_000
/** Time limit for the answer of npm, in milliseconds. */
const NPM_TIMEOUT_MS = 30_000
/** Number of entries of a release on a terminal or in a pipe. */
const MAX_ENTRIES = 30

interface Report {
  installed: string
  folder: string
  /** Version of the running node. */
  running: string | null
  installation: Installation
  published: Published | undefined
  commands: string[]
  changes: Release[]
  since: string
}

/** `coffer update`. */
export const update = command({
  path: ['update'],
  summary: 'Show which version runs and is installed, and how to update it',
  description:
    'Shows the version of the running node, the installed version, how it was installed (npm, npx, a source checkout, a container), the ' +
    'commands that update it, and what changed since the version of the running node. Changes nothing.\n\n' +
    'Asks the npm registry for the newest version only with --check, through npm and its configuration. Exits with 3 if it does not get one.\n\n' +
    'Stop the node before the update: a running node loads parts of the program later. coffer restart continues with the version that runs.',
  options: {
    check: flag('Ask the npm registry for the newest version'),
    since: text('Show changes since this version, instead of that of the running node', { placeholder: 'version' }),
  },
  examples: [
    { type: 'coffer update', description: 'show versions, changes, and the commands to update' },
    { type: 'coffer update --check', description: 'also ask the npm registry for the newest version' },
    { type: 'coffer update --since 0.1.0', description: 'show what changed since 0.1.0' },
  ],
  json:
    '{"running","installed","folder","means":"npm-global"|"npm-project"|"npx"|"checkout"|"sources"|"container"|"unknown","commands","since",' +
    '"changes":[{"version","date","entries"}]}; running is null if no node is running; with --check also "newest":{"version","node"} or {"problem"}',
  reach: 'machine',
  offline: true,
  async run(context, { check, since }) {
    if (since !== undefined && !/^v?\d+(\.\d+){0,2}(-[\w.-]+)?$/.test(since)) throw usageError(`--since takes a version such as 0.1.0, not ${JSON.stringify(since)}`)
    const report = await reportOf(context, { check, since })
    const { installation, published, ...rest } = report
    const document = { ...rest, means: installation.means, ...(published === undefined ? {} : { newest: published }) }
    await context.out.result(document, { id: report.installed, print: () => print(context, report) })
    return published !== undefined && 'problem' in published ? 3 : undefined
  },
})

async function reportOf(context: Context, { check, since }: { check: boolean; since: string | undefined }): Promise<Report> {
  const { env, flags } = context
  const folder = packageFolder().replace(/\/$/, '')
  const installed = productVersion()
  const running = await runningVersion(context)
  const published = check ? await (await import('./update/registry.js')).newestPublished(folder, env, flags.timeoutMs ?? NPM_TIMEOUT_MS) : undefined
  const newest = published !== undefined && 'version' in published ? published.version : undefined
  const installation = installationOf(folder, { env, execPath: process.execPath, exists: existsSync, read: textOf }, newest)
  const from = (since ?? running ?? installed).replace(/^v/, '')
  return {
    installed,
    folder,
    running,
    installation,
    published,
    commands: commandsOf(context, installation, running !== null),
    since: from,
    changes: releasesSince(textOf(join(folder, 'CHANGELOG.md')) ?? '', from),
  }
}

/** Returns the version of the running node; null without one, or with a warning. @throws CommandError 4 if the node belongs to another user */
async function runningVersion({ paths, flags, out }: Context): Promise<string | null> {
  try {
    const client = await runningNode(paths, flags.timeoutMs ?? NODE_TIMEOUT_MS)
    if (client === undefined) return null
    try {
      return (await client.call('node.status', {}, {})).version
    } finally {
      await client.close()
    }
  } catch (error) {
    if (error instanceof CommandError && error.exit === 4) throw error
    out.warn(`The running node did not report its version: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/** Returns the commands that stop the node, update it and start it again; the node of a systemd unit by systemctl. */
function commandsOf({ home, env, commandFor }: Context, { means, commands }: Installation, isRunning: boolean): string[] {
  if (commands.length === 0 || means === 'container') return commands
  const [unit] = unitsOf(home, env)
  if (unit !== undefined) {
    const systemctl = (verb: string): string => `systemctl ${unit.scope === 'user' ? '--user ' : ''}${verb} ${unit.unit}`
    return [systemctl('stop'), ...commands, systemctl('start')]
  }
  if (!isRunning) return commands
  // The command line of npx starts the node.
  return [commandFor('stop'), ...commands, ...(means === 'npx' ? [] : [commandFor('start')])]
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function print({ out, terminal, place }: Context, report: Report): Promise<void> {
  const { installed, folder, running, installation, published, commands, since, changes } = report
  await out.line(`Running    ${running ?? `no node for ${place}`}`)
  await out.line(`Installed  ${installed} in ${folder}`)
  await out.line(`By         ${installation.description}`)
  if (published !== undefined) await out.line(`Newest     ${publishedText(published, installed)}`)
  if (running !== null && running !== installed) {
    await out.line(`! The node runs ${running}, and ${installed} is installed: stop the node and start it again.`)
  }
  await out.line('')
  await printChanges({ out, terminal, changes, since, folder })
  if (commands.length === 0) await out.line(installation.note ?? '')
  else {
    await out.line('To update:')
    for (const line of commands) await out.line(`  ${line}`)
    if (installation.note !== undefined) out.note(installation.note)
  }
}

function publishedText(published: Published, installed: string): string {
  if ('problem' in published) return `unknown: ${published.problem}`
  const { version, node } = published
  if (!isOlder(installed, version)) return `${version} in the npm registry: the installed version is up to date`
  return `${version} in the npm registry${node === null ? '' : `, for Node.js ${node}`}`
}

type Changes = Pick<Context, 'out' | 'terminal'> & Pick<Report, 'changes' | 'since' | 'folder'>

async function printChanges({ out, terminal, changes, since, folder }: Changes): Promise<void> {
  if (changes.length === 0) {
    await out.line(`The installed version has no changes since ${since}.`)
    return
  }
  for (const { version, date, entries } of changes) {
    await out.line(`Changes in ${version}${date === null ? '' : ` (${date})`}:`)
    for (const entry of entries.slice(0, MAX_ENTRIES)) {
      const [first = '', ...rest] = terminal.outIsTerminal ? wrap(entry, terminal.width - 4) : [entry]
      for (const line of [`  - ${first}`, ...rest.map((each) => `    ${each}`)]) await out.line(line)
    }
    if (entries.length > MAX_ENTRIES) await out.line(`  and ${counted(entries.length - MAX_ENTRIES, 'change')} more: ${join(folder, 'CHANGELOG.md')}`)
  }
}
