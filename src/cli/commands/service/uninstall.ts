import { existsSync, rmSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { flag } from '../../framework/option.js'
import { whichOf, whichService } from '../../service/plan.js'
import { systemdFor } from '../../service/systemd.js'

/** `coffer service uninstall`. */
export const uninstall = command({
  path: ['service', 'uninstall'],
  summary: 'Stop the node, and let systemd run it no more',
  description: 'Removes the unit. The home of the node, with its data and its settings, stays as it is.',
  options: { ...whichService, print: flag('Say what would be removed, and do nothing'), yes: flag('Do not ask') },
  examples: [{ type: 'coffer service uninstall --user', says: 'take the service of this account away' }],
  json: '{"unit","file","scope","removed"}; removed is false with --print',
  reach: 'machine',
  offline: true,
  async run({ out, terminal, env }, options) {
    const { scope, unit } = whichOf(options)
    const systemd = await systemdFor(scope, unit, env)
    if (!existsSync(systemd.file)) {
      throw new CommandError(`There is no ${systemd.file}.`, { exit: 5, hint: `See: systemctl ${scope === 'user' ? '--user ' : ''}list-unit-files 'coffer*'` })
    }
    const about = { unit, file: systemd.file, scope }
    if (options.print) {
      await out.result({ ...about, removed: false }, { id: unit, print: () => out.line(systemd.file) })
      return
    }
    await confirm(terminal, `Stop the node, and remove ${systemd.file}?`, options.yes)
    await systemd.control('disable', '--now', unit)
    try {
      rmSync(systemd.file, { force: true })
    } catch (cause) {
      throw new CommandError(`${systemd.file} cannot be removed.`, { exit: 4, cause, hint: 'Do it as root, with sudo.' })
    }
    await systemd.control('daemon-reload')
    await systemd.forget()
    await out.result({ ...about, removed: true }, { id: unit, print: () => out.done(`${unit} is gone; the data of the node stays where it is`) })
  },
})
