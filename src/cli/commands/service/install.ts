import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { loadConfig } from '../../../server/config/config.js'
import { command, type Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { runningNode } from '../../client/connect.js'
import { flag, text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import { assertPartsReadable, assertKeyReadable } from '../../service/home.js'
import { serviceCommand, unitFor, whichOf, whichService, type Which } from '../../service/plan.js'
import { systemdFor, unitFile, type Systemd } from '../../service/systemd.js'
import { homeOfUnit, unitText, type Unit } from '../../service/unit.js'

/** `coffer service install`. */
export const install = command({
  path: ['service', 'install'],
  summary: 'Let systemd run the node',
  description:
    'Shows the unit, asks, writes it, and starts the node with it: now, and whenever the machine starts (--system) or the ' +
    'account is logged in (--user).\n\n' +
    'The unit lets the node write to its home, its log and the folder of backup.to alone; install it again when that changes. For a ' +
    'service of an account this takes namespaces of users; where the machine allows none, its files are as open to the node as to the ' +
    'account.\n\n' +
    'systemd is told when the node is open, when it stops, and twice a minute that it answers; a node that hangs or fails is started ' +
    'again, at most three times in five minutes, and not where that mends nothing: wrong usage, no permission, no store, a held one, a ' +
    'wrong passphrase, damage. Needs systemd-notify for that; without it the node is run all the same.\n\n' +
    'A service of the machine runs as an account of its own, to which all of the home must belong, and which reads no key from a ' +
    'keychain. Files to attach are read by the node: it sees none in the homes of people, in /tmp or of other accounts. The log is in ' +
    'the journal, an object of JSON a line: journalctl --unit coffer.',
  options: {
    ...whichService,
    runAs: text('Account of the machine that a system service runs as; without it the owner of the home', { placeholder: 'account' }),
    passphraseFile: text('File from which the node reads the passphrase of its key at every start', { placeholder: 'file', completes: 'file' }),
    print: flag('Print the unit and do nothing'),
    yes: flag('Do not ask'),
  },
  examples: [
    { type: 'coffer service install --user', says: 'run the node of this account' },
    { type: 'coffer service install --system --run-as coffer --home /var/lib/coffer', says: 'run a node of the machine' },
    { type: 'coffer service install --print', says: 'see the unit' },
  ],
  json: '{"unit","file","scope","home","changed"}; with --print {"unit","file","scope","home","text"}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, terminal, paths, env } = context
    const { scope, unit } = whichOf(options)
    const config = loadConfig({ file: paths.config, env })
    const planned = unitFor(context, scope, config, options)
    const text = unitText(planned)
    const about = { unit, file: unitFile(scope, unit, env), scope, home: paths.home }
    if (options.print) {
      await out.result({ ...about, text }, { id: unit, print: () => terminal.write(text) })
      return
    }
    const systemd = await systemdFor(scope, unit, env)
    if (!existsSync(paths.store)) {
      const make = context.commandFor('init')
      const isOther = planned.runAs !== undefined && planned.runAs !== 'root'
      throw new CommandError(`There is no store in ${paths.home}.`, { exit: 10, hint: `Make one: ${isOther ? `sudo -u ${planned.runAs} ` : ''}${make}` })
    }
    assertPartsReadable(context, planned)
    await assertKeyReadable(context, scope, options.passphraseFile)
    const former = formerUnit(systemd.file, paths.home)
    const { ActiveState: state } = await systemd.properties('ActiveState')
    if (state !== 'active' && (await runningNode(paths)) !== undefined) {
      throw new CommandError(`A node runs for ${paths.home} already, and not as ${unit}.`, { exit: 6, hint: `Stop it first: ${context.commandFor('stop')}` })
    }
    if (!options.yes) terminal.writeStderr(`${text}\n`)
    const verb = former === undefined ? 'Write' : former === text ? 'Start again with' : 'Replace'
    await confirm(terminal, `${verb} ${systemd.file}, and start the node with it?`, options.yes)
    provideFolders(planned)
    await write(systemd, text)
    await systemd.control('daemon-reload')
    await systemd.control('enable', unit)
    await systemd.control('restart', unit)
    await out.result(
      { ...about, changed: former !== text },
      {
        id: unit,
        print: () => {
          out.done(`The node runs as ${unit}, from ${systemd.file}`)
          writeNext(context, { scope, unit })
        },
      },
    )
  },
})

/** The text of the unit that is there. @throws CommandError 6 when it is somebody else's, or of another node. */
function formerUnit(file: string, home: string): string | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const served = homeOfUnit(text)
  if (served === home) return text
  const owner = served === undefined ? 'was not written by coffer' : `runs the node of ${served}`
  throw new CommandError(`${file} ${owner}.`, { exit: 6, hint: 'Take another name with --unit, or remove it first.' })
}

/** A unit whose folders are not there does not start. */
function provideFolders({ scope, runAs, writes }: Unit): void {
  for (const folder of writes.filter((each) => !existsSync(each))) {
    if (scope === 'system') {
      throw new CommandError(`There is no folder ${folder}, which the node writes to.`, { exit: 5, hint: `Make it, for the account ${runAs ?? ''}.` })
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
}

async function write({ file }: Systemd, text: string): Promise<void> {
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (cause) {
    throw new CommandError(`${dirname(file)} cannot be made.`, { exit: 4, cause })
  }
  const written = await wholeFile(file)
  try {
    await written.write(text)
    await written.done()
  } finally {
    await written.drop()
  }
  // There is nothing secret in it, and tools of other accounts look at units.
  await chmod(file, 0o644)
}

function writeNext(context: Context, which: Which): void {
  const { out, env } = context
  const { scope } = which
  const name = env['USER'] ?? env['LOGNAME']
  if (scope === 'user' && name !== undefined && !existsSync(`/var/lib/systemd/linger/${name}`)) {
    out.note(`It ends when you log out. To let it go on: loginctl enable-linger ${name}`)
  }
  out.note(`See: ${serviceCommand(context, 'status', which)}`)
}
