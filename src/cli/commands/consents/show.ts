import { command } from '../../command.js'
import { CONSENT_ID, loadConsent } from './shared/load.js'
import { messagesOf } from './shared/messages.js'
import { entryText } from './shared/offer.js'
import { failureWords } from './shared/reasons.js'
import { accountText, contentOf, joinedBy, wordsIn } from '../../../server/api/consents/relations.js'
import type { Account, ConsentRecord } from '../../../server/api/consents/relations.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import type { Output } from '../../terminal/output/out.js'

/** `coffer consents show`. */
export const show = command({
  path: ['consents', 'show'],
  summary: 'Show a consent: the request and its outcome',
  arguments: { id: text(`${CONSENT_ID} or link`, { required: true, names: 'consent' }) },
  options: { language: text('Language of the texts, such as fr; defaults to en', { placeholder: 'code' }), user: userOption },
  examples: [{ type: 'coffer consents show ckq2v8x0a0000abcd1234efgh --language fr', description: 'show its texts in French' }],
  json: '{"consent":{…},"request","permissions","features","joined","messages","failure","reason","withdrawal"}, as far as available; consent as in coffer consents list',
  offline: true,
  async run(context, { id, language, user }) {
    const { out, connect } = context
    const client = await connect()
    const as = await (URL.canParse(id) ? accountOf(client, user) : accountHolding(client, user, { kind: 'consent', id }))
    const found = await loadConsent(context, client, as, id)
    const { consent, event, access, invite } = found
    const requestEvent = consent.kind === 'invite' ? event : invite
    const content = contentOf(event)
    const details: ConsentDetails = {
      ...optional('request', requestEvent === undefined ? undefined : contentOf(requestEvent)['request']),
      ...optional('permissions', consent.kind === 'given' ? access?.['permissions'] : undefined),
      ...optional('features', content['features']),
      ...(consent.mode === undefined ? {} : { joined: joinedBy(found, found.accesses) }),
      ...(consent.mode === 'open-link' ? {} : { messages: (await messagesOf(client, as, consent)).length }),
      ...optional('failure', content['failure']),
      ...optional('reason', content['reason']),
      ...optional('withdrawal', content['withdrawal']),
    }
    await out.result({ consent, ...details }, {
      id: consent.id,
      print: async () => {
        for (const line of consentLines(found, details, language ?? 'en', out.time)) await out.line(line)
      },
    })
  },
})

interface ConsentDetails {
  request?: unknown
  permissions?: unknown
  features?: unknown
  joined?: Account[]
  messages?: number
  failure?: unknown
  reason?: unknown
  withdrawal?: unknown
}

const optional = <K extends keyof ConsentDetails>(key: K, value: unknown): Partial<Record<K, unknown>> =>
  value === undefined || value === null ? {} : ({ [key]: value } as Partial<Record<K, unknown>>)

const kinds = { invite: 'requested by this account', given: 'given by this account', received: 'given to this account' }

function consentLines({ consent, event }: ConsentRecord, details: ConsentDetails, language: string, time: Output['time']): string[] {
  const request = recordOf(details.request)
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const entries = (title: string, list: Record_[]): string[] =>
    list.map((entry, at) => `  ${(at === 0 ? title : '').padEnd(9)} ${entryText(entry)}`)
  const mode = consent.mode === undefined ? '' : consent.mode === 'open-link' ? ', link for any account' : ', link for one account'
  return [
    consent.id,
    ...line('Kind', `${kinds[consent.kind]}${mode}`),
    ...line('Status', `${consent.status}${statusTime(contentOf(event), time)}`),
    ...line('With', accountText(consent.counterparty)),
    ...line('Joined', (details.joined ?? []).map(accountText).join(', ')),
    ...line('Title', consent.title),
    ...line('Text', wordsIn(request['description'], language)),
    ...line('Agreement', wordsIn(request['consent'], language)),
    ...entries('Requests', listOf(request['permissions'])),
    ...entries('Grants', listOf(details.permissions).filter(({ streamId }) => !textOf(streamId).startsWith(':_cmc:'))),
    ...line('Expires', consent.expires === undefined ? '' : time(consent.expires)),
    ...line('Scope', consent.scopeStreamId ?? ''),
    ...line('Access', consent.accessId ?? ''),
    ...line('Messages', details.messages === undefined ? '' : String(details.messages)),
    ...line('Reason', wordsIn(details.reason, language)),
    ...line('Failed', details.failure === undefined ? '' : failureWords(details.failure)),
    ...line('Ended', withdrawalText(recordOf(details.withdrawal), time)),
  ]
}

/** Formats the time at which an invite reached its status. */
function statusTime({ acceptedAt, refusedAt, revokedAt, invalidatedAt }: Record_, time: Output['time']): string {
  const at = numberOf(revokedAt ?? invalidatedAt ?? acceptedAt ?? refusedAt)
  return at === undefined ? '' : `, ${time(at)}`
}

const endings: Readonly<Record<string, string>> = {
  'accesses.delete': 'its access was deleted',
  'revoke-cmc': 'revoked by this account',
  'peer-revoke': 'revoked by the other account',
  'delegation-detach': 'ended with the delegation under which it was given',
}

function withdrawalText({ at, by }: Record_, time: Output['time']): string {
  const seconds = numberOf(at)
  return seconds === undefined ? '' : `${time(seconds)}, ${endings[textOf(by)] ?? textOf(by)}`
}
