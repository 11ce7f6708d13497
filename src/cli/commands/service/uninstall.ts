import { existsSync, rmSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { flag } from '../../framework/option.js'
import { whichOf, whichService } from './shared/plan.js'
import { systemdFor } from './shared/systemd.js'

/** `coffer service uninstall`. */
export const uninstall = command({
  path: ['service', 'uninstall'],
  summary: 'Stop the node and remove its systemd service',
  description: 'Removes the unit. The home of the node with its data and settings stays.',
  options: { ...whichService, print: flag('Only show what would be removed'), yes: yesOption() },
  examples: [{ type: 'coffer service uninstall --user', description: 'remove the user service' }],
  json: '{"unit","file","scope","removed"}; removed is false with --print',
  reach: 'machine',
  offline: true,
  async run({ out, terminal, env }, options) {
    const { scope, unit } = whichOf(options)
    const systemd = await systemdFor(scope, unit, env)
    if (!existsSync(systemd.file)) {
      throw new CommandError(`${systemd.file} does not exist.`, { exit: 5, hint: `List services: systemctl ${scope === 'user' ? '--user ' : ''}list-unit-files 'coffer*'` })
    }
    const about = { unit, file: systemd.file, scope }
    if (options.print) {
      await out.result({ ...about, removed: false }, { id: unit, print: () => out.line(systemd.file) })
      return
    }
    await confirm(terminal, `Stop the node and remove ${systemd.file}?`, options.yes)
    await systemd.control('disable', '--now', unit)
    try {
      rmSync(systemd.file, { force: true })
    } catch (cause) {
      throw new CommandError(`${systemd.file} cannot be removed.`, { exit: 4, cause, hint: 'Run the command as root, with sudo.' })
    }
    await systemd.control('daemon-reload')
    await systemd.forget()
    await out.result({ ...about, removed: true }, { id: unit, print: () => out.done(`Removed ${unit}; the data of the node stays`) })
  },
})
