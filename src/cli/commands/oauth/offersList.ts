import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { OFFER_JSON, offerId } from './offer.js'

/** `coffer oauth offers list`. */
export const list = command({
  path: ['oauth', 'offers', 'list'],
  summary: 'List the consent offers of OAuth clients and their state',
  options: { client: text('Only offers of this client', { placeholder: 'id', names: 'client' }) },
  examples: [
    { type: 'coffer oauth offers list', description: 'all offers' },
    { type: 'coffer oauth offers list -q | xargs -L1 coffer oauth offers show', description: 'show each offer in full' },
  ],
  json: `{"offers":[{${OFFER_JSON}}]}; "state" is open, consumed, invalidated, expired, gone or elsewhere`,
  offline: true,
  async run({ out, connect, commandFor }, { client }) {
    const handler = await connect()
    const answer = await handler.call('oauth.offers.list', client === undefined ? {} : { clientId: client }, {})
    const { offers } = answer
    await out.list(answer, {
      columns: [
        { title: 'CLIENT', cell: ({ client_id }) => client_id },
        { title: 'OFFER', cell: ({ name }) => name },
        { title: 'STATE', cell: ({ state }) => state, drops: 'late' },
        { title: 'ACCOUNT', cell: ({ username }) => username ?? '—', shrinks: true, drops: true },
        { title: 'EXPIRES', time: ({ expires }) => expires, drops: true },
      ],
      rows: offers,
      id: (offer) => offerId(offer),
      count: counted(offers.length, 'offer'),
    })
    if (offers.length === 0) out.note(`Publish one: ${commandFor('oauth', 'offers', 'publish', '--help')}`)
  },
})
