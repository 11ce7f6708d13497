import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { OFFER_JSON, offerDetails, offerArguments, offerId } from './offer.js'

/** `coffer oauth offers show`. */
export const show = command({
  path: ['oauth', 'offers', 'show'],
  summary: 'Show a consent offer of an OAuth client',
  description: 'Shows the texts and permissions as people see them on the consent page. The link is shown without its token.',
  arguments: offerArguments,
  options: { language: text('Language of the texts, such as fr, if available', { placeholder: 'code' }) },
  examples: [
    { type: 'coffer oauth offers show heart-lab study', description: 'its texts and permissions' },
    { type: 'coffer oauth offers show heart-lab study --json', description: 'for programs' },
  ],
  json: `{"offer":{${OFFER_JSON},"content"}}, the content as in consents; "failure" instead if it cannot be read`,
  offline: true,
  async run({ out, connect }, { client, name, language }) {
    const handler = await connect()
    const answer = await handler.call('oauth.offers.show', { clientId: client, name }, {})
    const { offer } = answer
    await out.result(answer, {
      id: offerId(offer),
      print: async () => {
        await out.line(String(offer.scope))
        for (const line of offerDetails(offer, language ?? 'en')) await out.line(line)
      },
    })
  },
})
