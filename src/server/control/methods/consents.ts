/** Operator methods for consents between accounts that the API lacks. */
import { parseInput } from '../../../store/model/validation.js'
import { readOffer } from '../../messaging/offer.js'
import type { NodeMethod } from '../control.js'
import { Endpoint } from '../../base/endpointParts.js'

export const consentMethods: Readonly<Record<string, NodeMethod>> = {
  /** Reads the offer behind a link and its account; on failure, returns the reason in the terms of consent triggers. */
  async 'consents.readOffer'(node, params) {
    const read = await readOffer({ node }, parseInput(Endpoint, params['capabilityUrl']))
    if (read.ok) return { offer: { id: read.eventId, content: read.content, requester: read.requester } }
    const { reason, detail } = read
    return { failure: { reason, ...(detail === undefined ? {} : { detail }) } }
  },
}
