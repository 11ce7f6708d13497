import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { permissionLines, permissionOptions, permissionsOf } from './permissions.js'

/** `coffer accesses check`. */
export const check = command({
  path: ['accesses', 'check'],
  summary: 'Check whether an app already has the access it would request',
  description:
    'Exits with 0 when the app has exactly this access, and with 3 when it has none or a different one. In that case stdout lists what the app would be granted, one permission per line.',
  arguments: { app: text('App id', { required: true }) },
  options: {
    ...permissionOptions,
    device: text('Device', { placeholder: 'name' }),
    clientData: jsonObject('Data that the app stores with the access'),
    user: userOption,
  },
  examples: [{ type: 'coffer accesses check heart-watch --permission heart:contribute', description: 'check what the app needs' }],
  json: '{"matchingAccess":{…}} or {"checkedPermissions":[…],"mismatchingAccess":{…}}, the result of accesses.checkApp',
  offline: true,
  async run({ out, connect, now }, options) {
    const requestedPermissions = permissionsOf(options).map((each) =>
      'streamId' in each && each.streamId !== '*' ? { ...each, defaultName: each.streamId } : each,
    )
    if (requestedPermissions.length === 0) throw usageError('--permission <stream:level> is missing', 'For example: coffer accesses check heart-watch --permission heart:contribute')
    const client = await connect()
    const params = {
      requestingAppId: options.app,
      requestedPermissions,
      ...(options.device === undefined ? {} : { deviceName: options.device }),
      ...(options.clientData === undefined ? {} : { clientData: options.clientData }),
    }
    const answer = await client.call('accesses.checkApp', params, await accountOf(client, options.user))
    const { matchingAccess, mismatchingAccess } = answer
    const id = matchingAccess?.id ?? ''
    await out.result(answer, {
      id,
      print: async () => {
        if (matchingAccess !== undefined) {
          out.done(`${options.app} already has this access:`)
          return out.line(id)
        }
        const other = mismatchingAccess?.id ?? ''
        const ending = mismatchingAccess?.expires
        const isExpired = ending !== undefined && ending <= now()
        if (isExpired) out.warn(`The access of ${options.app}, ${other}, has expired. It would be granted:`)
        else out.warn(other === '' ? `${options.app} has no access. It would be granted:` : `${options.app} has a different access, ${other}. It would be granted:`)
        for (const line of permissionLines(answer.checkedPermissions)) await out.line(line)
      },
    })
    return matchingAccess === undefined ? 3 : 0
  },
})
