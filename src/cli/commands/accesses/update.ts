import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { accessNamed } from '../../client/access.js'
import { recordOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { expires } from './lifetime.js'
import { permissionLines, permissionOptions, permissionsOf } from './permissions.js'

/** `coffer accesses update`. */
export const update = command({
  path: ['accesses', 'update'],
  summary: 'Change what an access may do, its name or its end',
  description:
    'Its token stays. Permissions given take the place of all that it had; without any, they stay as they are.',
  arguments: { access: text('Its id or name', { required: true, names: 'access' }) },
  options: {
    name: text('New name'),
    ...permissionOptions,
    device: text('Device, for an app', { placeholder: 'name' }),
    expires: expires('When it ends, such as 30d or 2027-01-31, or never', { never: true }),
    clientData: jsonObject('Data that apps keep with it, in place of what there was'),
    user: userOption,
  },
  examples: [
    { type: `coffer accesses update 'Dr Weber' --expires 90d`, says: 'three months from now' },
    { type: `coffer accesses update 'Dr Weber' --permission heart:read`, says: 'only this from now on' },
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
    if (Object.keys(changes).length === 0) throw usageError('Nothing to change: give an option', 'See: coffer accesses update --help')
    const client = await connect()
    const as = await accountOf(client, options.user)
    // Changes made in between are refused by the id, which counts them.
    const id = textOf((await accessNamed(client, as, options.access))['id'])
    const answer = await client.call('accesses.update', { id, update: changes }, as)
    const access = recordOf(answer['access'])
    await out.result(answer, {
      id: textOf(access['id']),
      print: () => {
        out.done(`Access ${textOf(access['name'])} changed. It may`)
        for (const line of permissionLines(access['permissions'])) out.note(`  ${line}`)
      },
    })
  },
})
