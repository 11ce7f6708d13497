import { existsSync, readFileSync } from 'node:fs'
import { command } from '../../command.js'
import { CommandError, exitCodes } from '../../framework/exit.js'
import { serviceCommand, whichOf, whichService } from './shared/plan.js'
import { systemdFor } from './shared/systemd.js'
import { homeOfUnit } from './shared/unit.js'

/** Describes how the node exited: by its exit code, else by the result of systemd. */
function endOf({ Result: result, ExecMainStatus: status }: Record<string, string>): string {
  const known = result === 'exit-code' ? exitCodes.find(({ code }) => String(code) === status) : undefined
  return known === undefined ? (result ?? 'unknown') : `exit ${known.code}, ${known.meaning}`
}

/** `coffer service status`. */
export const status = command({
  path: ['service', 'status'],
  summary: 'Show the state of the systemd service',
  description: 'Exits with 5 if the service is not installed, and with 7 if it is installed but the node is not running.',
  options: whichService,
  examples: [{ type: 'coffer service status --system', description: 'the system service' }],
  json: '{"unit","file","scope","home","enabled","active","state","result","pid"}; pid is null if it is not running',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, env } = context
    const { scope, unit } = whichOf(options)
    const systemd = await systemdFor(scope, unit, env)
    const known = await systemd.properties('LoadState', 'ActiveState', 'SubState', 'UnitFileState', 'MainPID', 'Result', 'StatusText', 'ExecMainStatus')
    if (!existsSync(systemd.file)) {
      throw new CommandError(`The service is not installed: ${systemd.file} does not exist.`, { exit: 5, hint: `Install it: ${serviceCommand(context, 'install', { scope, unit })}` })
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
        await out.line(`Starts   ${found.enabled ? (scope === 'user' ? 'at login' : 'at boot') : 'manually'}`)
        if (!isActive && known['Result'] !== 'success') out.warn(`The service failed (${endOf(known)}): journalctl ${scope === 'user' ? '--user ' : ''}--unit ${unit}`)
      },
    })
    return isActive ? 0 : 7
  },
})
