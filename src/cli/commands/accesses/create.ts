import { command } from '../../command.js'
import type { Permission } from '../../../store/model/access.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { readSecret } from '../../terminal/input/secret.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { placedStreams } from '../../client/streams.js'
import { choice, flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { expires } from './lifetime.js'
import { permissionLines, permissionOptions, permissionsOf } from './permissions.js'

/** `coffer accesses create`. */
export const create = command({
  path: ['accesses', 'create'],
  summary: 'Let someone see or change something',
  description:
    'Prints a link with a token in it, which is the key: whoever has it can do what the access may do. stdout carries nothing but the link.\n\nLevels are read, create-only (add events, read none), contribute (read and change events), manage (also the streams below) and none (see nothing, below a stream that is open).',
  options: {
    name: text('Whom or what it is for; the app id for an app', { required: true }),
    ...permissionOptions,
    type: choice(['shared', 'app'], 'Type; shared without it'),
    device: text('Device, for an app', { placeholder: 'name' }),
    expires: expires('When it ends, such as 30d or 2027-01-31', { never: false }),
    alias: flag('Hide the username in the link behind an alias'),
    createStreams: flag('Make the streams that are not there yet, by the name of their id'),
    clientData: jsonObject('Data that apps keep with it'),
    tokenStdin: flag('Read the token from stdin in place of a random one'),
    ...actingAs,
  },
  examples: [
    {
      type: `coffer accesses create --name 'Dr Weber' --permission heart:read --permission diary:create-only --expires 30d`,
      says: 'share two streams for a month',
    },
    { type: `coffer accesses create --name my-app --type app --permission '*:manage'`, says: 'a token for an app of your own' },
  ],
  json: '{"access":{…}}, the result of accesses.create',
  offline: true,
  async run({ out, connect, terminal, commandFor }, options) {
    const permissions = permissionsOf(options)
    if (!permissions.some((each) => !('feature' in each))) {
      throw usageError('--permission <stream:level> is missing', 'Everything: --permission "*:read"')
    }
    const token = options.tokenStdin
      ? { token: await readSecret(terminal, { prompt: 'Token', missing: '--token-stdin', stdin: true }) }
      : {}
    const client = await connect()
    const as = await authorityOf(client, options)
    const params = {
      name: options.name,
      type: options.type ?? 'shared',
      permissions: await withStreams(client, as, permissions, options.createStreams),
      ...(options.device === undefined ? {} : { deviceName: options.device }),
      ...(options.expires === undefined ? {} : { expireAfter: options.expires }),
      ...(options.clientData === undefined ? {} : { clientData: options.clientData }),
      ...(options.alias ? { randomAlias: true } : {}),
      ...token,
    }
    const answer = await client.call('accesses.create', params, as)
    const access = recordOf(answer['access'])
    const id = textOf(access['id'])
    await out.result(answer, {
      id,
      print: async () => {
        out.note(`${options.name} will be able to`)
        const end = numberOf(access['expires'])
        const lines = permissionLines(access['permissions'])
        if (end !== undefined) lines.push(`${'until'.padEnd(15)} ${when(end)}`)
        for (const line of lines) out.note(`  ${line}`)
        out.done(`Access ${id} made. The link below is the key:`)
        await out.line(textOf(access['apiEndpoint']))
        out.note(`  Take it back: ${commandFor('accesses', 'revoke', id)}`)
      },
    })
  },
})

/**
 * The permissions with a name for each stream that is to be made.
 * @throws CommandError 5 for streams that are not there and not to be made: a permission on them would open nothing.
 */
async function withStreams(
  client: NodeClient,
  as: Authority,
  permissions: readonly Permission[],
  mayMake: boolean,
): Promise<unknown[]> {
  const { streams } = await client.call('streams.get', { state: 'all' }, as)
  const known = new Set(placedStreams(streams).map(({ stream }) => textOf(stream['id'])))
  const isThere = (id: string): boolean => id === '*' || id.startsWith(':') || known.has(id)
  const missing = permissions.flatMap((each) => ('streamId' in each && !isThere(each.streamId) ? [each.streamId] : []))
  if (missing.length > 0 && !mayMake) {
    const what = missing.length === 1 ? `There is no stream ${missing[0] ?? ''}` : `There are no streams ${missing.join(', ')}`
    throw new CommandError(`${what}.`, { exit: 5, hint: 'Make what is missing: --create-streams' })
  }
  return permissions.map((each) =>
    'streamId' in each && missing.includes(each.streamId)
      ? { ...each, defaultName: each.streamId.replace(/[^A-Za-z0-9_]/g, '_') }
      : each,
  )
}
