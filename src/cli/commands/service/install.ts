import { STDIN } from '../../terminal/input/text.js'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { loadConfig } from '../../../server/config/config.js'
import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { runningNode } from '../../client/runningNode.js'
import { flag, text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import { assertPartsReadable, assertKeyReadable } from './shared/home.js'
import { serviceCommand, unitFor, whichOf, whichService, type Which } from './shared/plan.js'
import { systemdFor, unitFile, type Systemd } from './shared/systemd.js'
import { homeOfUnit, unitText, type Unit } from './shared/unit.js'

/** `coffer service install`. */
export const install = command({
  path: ['service', 'install'],
  summary: 'Run the node as a systemd service',
  description:
    'Shows the unit, asks for confirmation, writes it, and starts the node with it: now, and whenever the machine starts (--system) or the ' +
    'user logs in (--user).\n\n' +
    'The unit only lets the node write to its home, its log and the folder of backup.to; install it again when these change. For a ' +
    'user service this needs user namespaces; on a machine that does not allow them, the node can access all files of the ' +
    'user.\n\n' +
    'The node notifies systemd when it is ready, when it stops, and twice a minute as a watchdog. systemd restarts a node that hangs or fails, ' +
    'at most three times in five minutes, except for errors that a restart cannot fix: wrong usage, no permission, no store, a locked store, a ' +
    'wrong passphrase, damage. This needs systemd-notify; without it the node runs without notifications.\n\n' +
    'A system service runs as an account of its own, which must own the whole home; it cannot read a key from a ' +
    'keychain. The node reads files to attach itself: it cannot see files in home folders, in /tmp or of other accounts. The log goes to ' +
    'the journal, one JSON object per line: journalctl --unit coffer.',
  options: {
    ...whichService,
    runAs: text('System account that the service runs as; defaults to the owner of the home', { placeholder: 'account' }),
    passphraseFile: text('File with the passphrase of the node key, read at every start', { placeholder: 'file', completes: 'file' }),
    print: flag('Print the unit without installing it'),
    yes: yesOption(),
  },
  examples: [
    { type: 'coffer service install --user', description: 'run the node as a user service' },
    { type: 'coffer service install --system --run-as coffer --home /var/lib/coffer', description: 'run the node as a system service' },
    { type: 'coffer service install --print', description: 'print the unit' },
  ],
  json: '{"unit","file","scope","home","changed"}; with --print {"unit","file","scope","home","text"}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, terminal, paths, env } = context
    if (options.passphraseFile === STDIN) throw usageError('--passphrase-file takes a file here, not stdin: the node reads it at every start')
    const { scope, unit } = whichOf(options)
    const config = loadConfig({ file: paths.config, env })
    const planned = unitFor(context, scope, config, options)
    const text = unitText(planned)
    const service = { unit, file: unitFile(scope, unit, env), scope, home: paths.home }
    if (options.print) {
      await out.result({ ...service, text }, { id: unit, print: () => terminal.write(text) })
      return
    }
    const systemd = await systemdFor(scope, unit, env)
    if (!existsSync(paths.store)) {
      const initCommand = context.commandFor('init')
      const isOther = planned.runAs !== undefined && planned.runAs !== 'root'
      throw new CommandError(`No store in ${paths.home}.`, { exit: 10, hint: `Create one: ${isOther ? `sudo -u ${planned.runAs} ` : ''}${initCommand}` })
    }
    assertPartsReadable(context, planned)
    await assertKeyReadable(context, scope, options.passphraseFile)
    const former = formerUnit(systemd.file, paths.home)
    const { ActiveState: state } = await systemd.properties('ActiveState')
    if (state !== 'active' && (await runningNode(paths)) !== undefined) {
      throw new CommandError(`A node is already running for ${paths.home}, but not as ${unit}.`, { exit: 6, hint: `Stop it first: ${context.commandFor('stop')}` })
    }
    if (!options.yes) terminal.writeStderr(`${text}\n`)
    const verb = former === undefined ? 'Write' : former === text ? 'Restart' : 'Replace'
    await confirm(terminal, `${verb} ${systemd.file} and start the node?`, options.yes)
    provideFolders(planned)
    await write(systemd, text)
    await systemd.control('daemon-reload')
    await systemd.control('enable', unit)
    await systemd.control('restart', unit)
    await out.result(
      { ...service, changed: former !== text },
      {
        id: unit,
        print: () => {
          out.done(`The node is running as ${unit}, from ${systemd.file}`)
          writeNext(context, { scope, unit })
        },
      },
    )
  },
})

/** Returns the text of the installed unit. @throws CommandError 6 when coffer did not write it, or it runs another node */
function formerUnit(file: string, home: string): string | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const served = homeOfUnit(text)
  if (served === home) return text
  const owner = served === undefined ? 'was not written by coffer' : `runs the node of ${served}`
  throw new CommandError(`${file} ${owner}.`, { exit: 6, hint: 'Use a different name with --unit, or remove it first.' })
}

/** Creates the folders of the unit: systemd does not start a unit whose folders are missing. */
function provideFolders({ scope, runAs, writes }: Unit): void {
  for (const folder of writes.filter((each) => !existsSync(each))) {
    if (scope === 'system') {
      throw new CommandError(`The node writes to ${folder}, which does not exist.`, { exit: 5, hint: `Create it, owned by ${runAs ?? ''}.` })
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
}

async function write({ file }: Systemd, text: string): Promise<void> {
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (cause) {
    throw new CommandError(`${dirname(file)} cannot be created.`, { exit: 4, cause })
  }
  const written = await wholeFile(file)
  try {
    await written.write(text)
    await written.done()
  } finally {
    await written.drop()
  }
  // Readable by everyone: it contains no secrets, and tools of other accounts read units.
  await chmod(file, 0o644)
}

function writeNext(context: Context, which: Which): void {
  const { out, env } = context
  const { scope } = which
  const name = env['USER'] ?? env['LOGNAME']
  if (scope === 'user' && name !== undefined && !existsSync(`/var/lib/systemd/linger/${name}`)) {
    out.note(`The service stops when you log out. To keep it running: loginctl enable-linger ${name}`)
  }
  out.note(`Check it: ${serviceCommand(context, 'status', which)}`)
}
