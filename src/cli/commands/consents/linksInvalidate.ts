import { command } from '../../command.js'
import { loadConsent } from './shared/load.js'
import { contentOf } from '../../../server/api/consents/relations.js'
import { runTrigger } from './shared/trigger.js'
import { wordsByLanguage, wordsOption } from './shared/words.js'
import { CommandError } from '../../framework/exit.js'
import { textOf } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer consents links invalidate`. */
export const invalidate = command({
  path: ['consents', 'links', 'invalidate'],
  summary: 'Invalidate a link, so that no more accounts can accept it',
  description: 'Consents already given stay; end them with coffer consents revoke.',
  arguments: { id: text('Id of the link', { required: true, names: 'consent' }) },
  options: { reason: wordsOption('Reason, shown to anyone who opens the link later'), user: userOption },
  examples: [{ type: `coffer consents links invalidate ckq2v8x0a0000abcd1234efgh --reason 'the study is full'`, description: 'give a reason' }],
  json: '{"event":{…}}, the event of type consent/invalidate-link-cmc, or consent/revoke-cmc of a link for one account, once it is completed',
  offline: false,
  async run(context, { id, reason, user }) {
    const { out, connect, commandFor } = context
    const words = wordsByLanguage(reason, '--reason')
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'consent', id })
    const { consent, event: invite } = await loadConsent(context, client, as, id)
    const { capabilityId, mode, scopeStreamId } = consent
    if (capabilityId === undefined || scopeStreamId === undefined) throw new CommandError(`${consent.id} is not a link.`, { exit: 5, hint: ['List the links', 'consents', 'links', 'list'] })
    if (consent.status === 'accepted') {
      throw new CommandError('An account has already accepted this link.', {
        exit: 6,
        hint: `End the consent: ${commandFor('consents', 'revoke', consent.id, '--user', as.user)}`,
      })
    }
    const because = words === undefined ? {} : { reason: words }
    const event = await runTrigger(context, client, as, {
      streamId: scopeStreamId,
      ...(mode === 'open-link'
        ? { type: 'consent/invalidate-link-cmc', content: { capabilityId, ...because } }
        : { type: 'consent/revoke-cmc', content: { accessId: textOf(contentOf(invite)['capabilityAccessId']), ...because } }),
    })
    await out.result({ event }, { id: textOf(event['id']), print: () => out.done('Link invalidated.') })
  },
})
