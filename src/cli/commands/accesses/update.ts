import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { accessNamed } from '../../client/access.js'
import { textOf } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { expires } from './lifetime.js'
import { permissionLines, permissionOptions, permissionsOf } from './permissions.js'

/** `coffer accesses update`. */
export const update = command({
  path: ['accesses', 'update'],
  summary: 'Change the name, permissions or expiry of an access',
  description:
    'The token stays the same. Permission options replace all permissions; without any, the permissions stay as they are.',
  arguments: { access: text('Id or name of the access', { required: true, names: 'access' }) },
  options: {
    name: text('New name'),
    ...permissionOptions,
    device: text('Device name, for an app', { placeholder: 'name' }),
    expires: expires('New expiry, such as 30d, 2027-01-31 or never', { never: true }),
    clientData: jsonObject('Data that apps store with the access; replaces the present data'),
    user: userOption,
  },
  examples: [
    { type: `coffer accesses update 'Dr Weber' --expires 90d`, description: 'expire in three months' },
    { type: `coffer accesses update 'Dr Weber' --permission heart:read`, description: 'replace all permissions' },
  ],
  json: '{"access":{…}}, the result of accesses.update',
  offline: true,
  async run({ out, connect }, options) {
    const permissions = permissionsOf(options)
    const changes = {
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(permissions.length === 0 ? {} : { permissions }),
      ...(options.device === undefined ? {} : { deviceName: options.device }),
      ...(options.expires === undefined ? {} : options.expires === null ? { expires: null } : { expireAfter: options.expires }),
      ...(options.clientData === undefined ? {} : { clientData: options.clientData }),
    }
    if (Object.keys(changes).length === 0) throw usageError('Nothing to change: no option given', 'See: coffer accesses update --help')
    const client = await connect()
    const as = await accountHolding(client, options.user, { kind: 'access', id: options.access })
    // The id includes a version, so the API rejects the update if the access changed in between.
    const id = textOf((await accessNamed(client, as, options.access))['id'])
    const answer = await client.call('accesses.update', { id, update: changes }, as)
    const { access } = answer
    await out.result(answer, {
      id: access.id,
      print: () => {
        out.done(`Access ${access.name} updated. It can`)
        for (const line of permissionLines(access.permissions)) out.note(`  ${line}`)
      },
    })
  },
})
