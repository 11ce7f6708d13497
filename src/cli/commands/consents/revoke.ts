import { command } from '../../command.js'
import { CONSENT_ID, loadConsent } from './shared/load.js'
import { accountText, contentOf } from '../../../server/api/consents/relations.js'
import type { Consent, ConsentRecord } from '../../../server/api/consents/relations.js'
import { runTrigger, provideScope } from './shared/trigger.js'
import { wordsByLanguage, wordsOption } from './shared/words.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** Stream that records the end of a consent that belongs to no app. */
const OWN_SCOPE = ':_cmc:apps:coffer'

/** `coffer consents revoke`. */
export const revoke = command({
  path: ['consents', 'revoke'],
  summary: 'End a consent, given or received, and notify the other account',
  description:
    'Takes effect immediately, even if the other account cannot be reached: its access to this account is closed. Messages stay on both sides, and so does data that was already read. Access tokens of an OAuth client that depend on the consent end with it. A link that has not been accepted is withdrawn.',
  arguments: { id: text(CONSENT_ID, { required: true, names: 'consent' }) },
  options: { reason: wordsOption('Reason, sent to the other account'), yes: yesOption(), user: userOption },
  examples: [
    { type: 'coffer consents revoke ckq2v8x0a0000abcd1234efgh --user ben-hopper', description: 'prompt for confirmation' },
    { type: `coffer consents revoke ckq2v8x0a0000abcd1234efgh --reason 'study is over' --yes`, description: 'for scripts' },
  ],
  json: '{"event":{…}}, the event of type consent/revoke-cmc once it is completed',
  offline: false,
  async run(context, { id, reason, yes, user }) {
    const { out, connect, terminal, commandFor } = context
    const words = wordsByLanguage(reason, '--reason')
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'consent', id })
    const found = await loadConsent(context, client, as, id)
    const { consent, event: source } = found
    const accessId = endingAccess(found, commandFor('consents', 'list', '--user', as.user))
    const other = accountText(consent.counterparty) || 'the other account'
    const isLink = accessId === contentOf(source)['capabilityAccessId']
    await confirm(terminal, isLink ? LINK_QUESTION : questionOf(consent, other), yes)
    const event = await runTrigger(context, client, as, {
      streamId: consent.scopeStreamId ?? (await provideScope(client, as, OWN_SCOPE)),
      type: 'consent/revoke-cmc',
      content: { accessId, ...(words === undefined ? {} : { reason: words }) },
    })
    const isNotified = contentOf(event)['peerNotified'] !== false
    await out.result({ event }, {
      id: textOf(event['id']),
      print: () => {
        out.done(isLink ? 'Link withdrawn.' : `Consent revoked${withRelated(contentOf(event))}.`)
        if (isNotified) return
        const { reason: why } = recordOf(contentOf(event)['deliveryFailure'])
        out.warn(`${other} could not be notified (${textOf(why)}). Its access is closed.`)
      },
    })
    return isNotified ? undefined : 3
  },
})

/** Formats the number of accesses that ended with a consent: tokens of an OAuth client, and what was shared with them. */
function withRelated({ relatedDeletions }: Record_): string {
  const related = listOf(relatedDeletions).length
  return related === 0 ? '' : `, and ${counted(related, 'access', 'accesses')} that depended on it`
}

const LINK_QUESTION = 'Withdraw the link? It can no longer be accepted.'

const questionOf = ({ kind, title }: Consent, other: string): string =>
  kind === 'given' ? `Revoke the access of ${other}${title === '' ? '' : ` (${title})`}?` : `Give up the access granted by ${other}?`

/** Statuses of an invite that no account has accepted. An expired link can be withdrawn, so that it never becomes valid again. */
const WITHDRAWABLE = ['pending', 'delivered', 'refused', 'expired']

/**
 * Returns the id of the access to revoke: that of a consent, or of a link that no account has accepted.
 * @throws CommandError 6 when the consent has ended, or 2 for a link that several accounts accepted.
 */
function endingAccess({ consent, event, all }: ConsentRecord & { all: readonly ConsentRecord[] }, listing: string): string {
  if (consent.kind !== 'invite') {
    if (consent.accessId !== undefined && consent.status !== 'ended') return consent.accessId
    throw new CommandError('This consent has ended or was never accepted.', { exit: 6, hint: `List consents: ${listing}` })
  }
  const joined = all.filter(
    (each) => each.consent.kind === 'received' && each.access !== undefined && contentOf(each.event)['inviteEventId'] === event['id'],
  )
  const [only] = joined
  const { capabilityAccessId } = contentOf(event)
  const { mode, status } = consent
  if (only === undefined && mode === 'single-use' && WITHDRAWABLE.includes(status) && typeof capabilityAccessId === 'string') return capabilityAccessId
  const accessId = only?.consent.accessId
  if (only === undefined || accessId === undefined) {
    throw new CommandError('No active consent was given by this link.', { exit: 6, hint: `List consents: ${listing}` })
  }
  if (joined.length === 1) return accessId
  throw usageError('Several accounts have accepted this link', `Give the id of the consent to revoke: ${joined.map((each) => each.consent.id).join(', ')}`)
}
