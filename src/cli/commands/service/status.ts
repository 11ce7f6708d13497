import { existsSync, readFileSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError, exitCodes } from '../../framework/exit.js'
import { serviceCommand, whichOf, whichService } from '../../service/plan.js'
import { systemdFor } from '../../service/systemd.js'
import { homeOfUnit } from '../../service/unit.js'

/** How the node ended: by its exit code, else as systemd names it. */
function endOf({ Result: result, ExecMainStatus: status }: Record<string, string>): string {
  const known = result === 'exit-code' ? exitCodes.find(({ code }) => String(code) === status) : undefined
  return known === undefined ? (result ?? 'unknown') : `exit ${known.code}, ${known.meaning}`
}

/** `coffer service status`. */
export const status = command({
  path: ['service', 'status'],
  summary: 'Say what systemd knows of the node',
  description: 'Exits 5 when the service is not installed, and 7 when it is and the node does not run.',
  options: whichService,
  examples: [{ type: 'coffer service status --system', says: 'the service of the machine' }],
  json: '{"unit","file","scope","home","enabled","active","state","result","pid"}; pid is null when it does not run',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, env } = context
    const { scope, unit } = whichOf(options)
    const systemd = await systemdFor(scope, unit, env)
    const known = await systemd.properties('LoadState', 'ActiveState', 'SubState', 'UnitFileState', 'MainPID', 'Result', 'StatusText', 'ExecMainStatus')
    if (!existsSync(systemd.file)) {
      throw new CommandError(`The service is not installed: there is no ${systemd.file}.`, { exit: 5, hint: `Install it: ${serviceCommand(context, 'install', { scope, unit })}` })
    }
    const home = homeOfUnit(readFileSync(systemd.file, 'utf8')) ?? null
    const isActive = known['ActiveState'] === 'active'
    const pid = Number(known['MainPID'] ?? 0)
    const found = {
      unit,
      file: systemd.file,
      scope,
      home,
      enabled: known['UnitFileState'] === 'enabled',
      active: isActive,
      state: `${known['ActiveState'] ?? 'unknown'} (${known['SubState'] ?? '?'})`,
      result: known['Result'] ?? null,
      pid: pid > 0 ? pid : null,
    }
    await out.result(found, {
      id: unit,
      print: async () => {
        await out.line(`Unit     ${unit}   ${systemd.file}`)
        if (home !== null) await out.line(`Home     ${home}`)
        await out.line(`State    ${found.state}${pid > 0 ? `, process ${pid}` : ''}${known['StatusText'] ? `: ${known['StatusText']}` : ''}`)
        await out.line(`Starts   ${found.enabled ? (scope === 'user' ? 'with a login of this account' : 'with the machine') : 'by hand'}`)
        if (!isActive && known['Result'] !== 'success') out.warn(`It ended badly (${endOf(known)}): journalctl ${scope === 'user' ? '--user ' : ''}--unit ${unit}`)
      },
    })
    return isActive ? 0 : 7
  },
})
