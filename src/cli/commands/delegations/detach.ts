import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { accessNamed, baseId } from '../../client/access.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { list, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { otherOf } from './relation.js'

/** `coffer delegations detach`. */
export const detach = command({
  path: ['delegations', 'detach'],
  summary: 'End a delegation: the delegate can no longer act for the account',
  description:
    'Takes effect immediately. All accesses that the delegate created end with it, and those created by these accesses. Use --keep to keep a consent that the delegate gave; it becomes a consent of the account itself. Data that an app has already read cannot be recalled.',
  arguments: { delegate: text('Account that acts for this one', { required: true, names: 'delegate' }) },
  options: {
    keep: list('Keep this consent given by the delegate: id or name of its access', { placeholder: 'access', names: 'access' }),
    acceptRisk: riskOption('cut-off-delegate'),
    user: userOption,
  },
  examples: [
    { type: 'coffer delegations detach ben-babbage --user ana-lovelace', description: 'confirm by typing the name' },
    { type: 'coffer delegations detach ben-babbage --user ana-lovelace --keep ckq2v8x0a0000abcd1234efgh', description: 'keep one consent' },
    { type: 'coffer delegations detach ben-babbage --user ana-lovelace --accept-risk=cut-off-delegate', description: 'for scripts' },
  ],
  json: '{}, the result of delegations.detachDelegate',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { delegate, keep, acceptRisk, user: username }) {
    const client = await connect()
    const as = await accountOf(client, username)
    const relation = await relationTo(client, as, delegate, commandFor('delegations', 'list', '--user', as.user))
    const keptIds = await Promise.all(keep.map(async (word) => baseId(textOf((await accessNamed(client, as, word))['id']))))
    const ending = (await createdBy(client, as, relation)).filter((id) => !keptIds.includes(id))
    const more = ending.length === 0 ? '' : ` ${counted(ending.length, 'access', 'accesses')} that it created will end too.`
    const warning = `${delegate} will no longer act for ${as.user}.${more}`
    await confirmByName(terminal, { name: otherOf(relation), risk: 'cut-off-delegate', warning }, acceptRisk)
    const params = { username: delegate, ...(keptIds.length === 0 ? {} : { keepAccessIds: keptIds }) }
    const answer = await client.call('delegations.detachDelegate', params, as)
    await out.result(answer, { id: delegate, print: () => out.done(`${delegate} no longer acts for ${as.user}`) })
  },
})

type Owner = { user: string }

/** Returns the relationship to a delegate. @throws CommandError 5 when there is none */
async function relationTo(client: NodeClient, as: Owner, delegate: string, listing: string): Promise<Record_> {
  const { delegates } = await client.call('delegations.listDelegates', {}, as)
  const found = delegates.find((each) => otherOf(each).toLowerCase() === delegate.toLowerCase())
  if (found !== undefined) return found
  throw new CommandError(`${delegate} does not act for ${as.user}.`, { exit: 5, hint: `List delegations: ${listing}` })
}

/** Returns the base ids of the accesses that a delegate created, and of those created by these. */
async function createdBy(client: NodeClient, as: Owner, { relId }: Record_): Promise<string[]> {
  const { accesses } = await client.call('accesses.get', {}, as)
  return accesses
    .filter(({ clientData }) => {
      const marker = recordOf(recordOf(clientData)['delegation'])
      return marker['relId'] === relId && marker['kind'] === 'delegated-child'
    })
    .map(({ id }) => baseId(id))
}
