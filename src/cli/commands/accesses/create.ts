import { command } from '../../command.js'
import { isLoopbackUrl } from '../../../server/base/loopback.js'
import type { Permission } from '../../../store/model/access.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { readSecret } from '../../terminal/input/secret.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { textOf } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { placedStreams } from '../../client/streams.js'
import { choice, flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { expires } from './lifetime.js'
import { permissionLines, permissionOptions, permissionsOf } from './permissions.js'

/** `coffer accesses create`. */
export const create = command({
  path: ['accesses', 'create'],
  summary: 'Grant access to some of the data of an account',
  description:
    'Prints a link that contains the token. Anyone who has the link can use the access. stdout carries only the link.\n\nLevels are read, create-only (add events but read none), contribute (read and change events), manage (contribute, and change the streams below) and none (no access, to exclude a stream below one that is granted).',
  options: {
    name: text('Name of the person or purpose; the app id for an app', { required: true }),
    ...permissionOptions,
    type: choice(['shared', 'app'], 'Type; defaults to shared'),
    device: text('Device name, for an app', { placeholder: 'name' }),
    expires: expires('Expiry, such as 30d or 2027-01-31', { never: false }),
    alias: flag('Use an alias instead of the username in the link'),
    createStreams: flag('Create missing streams, named after their id'),
    clientData: jsonObject('Data that apps store with the access'),
    tokenStdin: flag('Read the token from stdin instead of generating one', { stdin: 'always' }),
    ...actingAs,
  },
  examples: [
    {
      type: `coffer accesses create --name 'Dr Weber' --permission heart:read --permission diary:create-only --expires 30d`,
      description: 'share two streams for a month',
    },
    { type: `coffer accesses create --name my-app --type app --permission '*:manage'`, description: 'create a token for your own app' },
  ],
  json: '{"access":{…}}, the result of accesses.create',
  offline: true,
  async run({ out, connect, terminal, commandFor }, options) {
    const permissions = permissionsOf(options)
    if (!permissions.some((each) => !('feature' in each))) {
      throw usageError('--permission <stream:level> is missing', 'For one stream: --permission heart:read\nFor all streams: --permission "*:read"')
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
    const { access } = answer
    const { id } = access
    await out.result(answer, {
      id,
      print: async () => {
        out.note(`${options.name} will be able to`)
        const end = access.expires
        const lines = permissionLines(access.permissions)
        if (end !== undefined) lines.push(`${'until'.padEnd(15)} ${when(end)}`)
        for (const line of lines) out.note(`  ${line}`)
        out.done(`Access ${id} created. The link below contains the token:`)
        await out.line(access.apiEndpoint)
        if (isLoopbackUrl(access.apiEndpoint)) {
          out.warn('The link leads to this machine: it opens nowhere else.')
          out.note(`  Set the URL at which others reach the node: ${commandFor('config', 'set', 'dnsLess.publicUrl', 'https://node.example.org')}`)
        }
        out.note(`  Revoke it: ${commandFor('accesses', 'revoke', id)}`)
      },
    })
  },
})

/**
 * Adds a default name to the permission of each stream that is to be created.
 * @throws CommandError 5 for streams that do not exist and may not be created: a permission on them would grant nothing.
 */
async function withStreams(
  client: NodeClient,
  as: Authority,
  permissions: readonly Permission[],
  mayCreate: boolean,
): Promise<unknown[]> {
  const { streams } = await client.call('streams.get', { state: 'all' }, as)
  const known = new Set(placedStreams(streams).map(({ stream }) => textOf(stream['id'])))
  const isThere = (id: string): boolean => id === '*' || id.startsWith(':') || known.has(id)
  const missing = permissions.flatMap((each) => ('streamId' in each && !isThere(each.streamId) ? [each.streamId] : []))
  if (missing.length > 0 && !mayCreate) {
    const what = missing.length === 1 ? `There is no stream ${missing[0] ?? ''}` : `There are no streams ${missing.join(', ')}`
    throw new CommandError(`${what}.`, {
      exit: 5,
      hint: 'Create missing streams with --create-streams',
      unknown: { kind: 'stream', word: missing[0] ?? '' },
    })
  }
  return permissions.map((each) =>
    'streamId' in each && missing.includes(each.streamId)
      ? { ...each, defaultName: each.streamId.replace(/[^A-Za-z0-9_]/g, '_') }
      : each,
  )
}
