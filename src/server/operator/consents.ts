/** Consents between accounts, for the operator at the terminal: what the interface has no method for. */
import { parseInput } from '../../store/model/validation.js'
import { readOffer } from '../messaging/offer.js'
import type { NodeMethod } from '../control.js'
import { Endpoint } from '../endpointParts.js'

export const consentMethods: Readonly<Record<string, NodeMethod>> = {
  /** The offer behind a link, or why it cannot be read, as triggers tell it. */
  async 'consents.readOffer'(node, params) {
    const read = await readOffer({ node }, parseInput(Endpoint, params['capabilityUrl']))
    if (read.ok) return { offer: { id: read.eventId, content: read.content } }
    const { reason, detail } = read
    return { failure: { reason, ...(detail === undefined ? {} : { detail }) } }
  },
}
