/** Operator methods for consents between accounts that the API lacks. */
import * as z from 'zod'
import { Endpoint } from '../../base/endpointParts.js'
import { readOffer } from '../../api/consents/delivery/offer.js'
import { operatorMethod } from '../operatorMethod.js'

export const Requester = z.object({
  username: z.string().describe('User name of the account.'),
  host: z.string().describe('Host of its node.'),
})

export const OfferFailure = z.object({
  reason: z.string().describe('Failure reason, as in consent triggers.'),
  detail: z.record(z.string(), z.unknown()).optional().describe('Details of the failure.'),
})

const read = operatorMethod({
  id: 'consents.readOffer',
  summary: 'Reads the offer behind a link; on failure, returns the reason in the terms of consent triggers.',
  input: z.strictObject({ capabilityUrl: Endpoint.describe('The link.') }),
  output: () => z.object({
    offer: z.object({
      id: z.string().describe('Id of the event with the offer, in the other account.'),
      content: z.record(z.string(), z.unknown()).describe('Content of the event.'),
      requester: Requester.describe('Account that makes the offer.'),
    }).optional().describe('The offer.'),
    failure: OfferFailure.optional().describe('Reason why it cannot be read.'),
  }),
  fails: ['invalid-parameters-format'],
  async run({ node }, { capabilityUrl }) {
    const found = await readOffer({ node }, capabilityUrl)
    if (found.ok) return { offer: { id: found.eventId, content: found.content, requester: found.requester } }
    const { reason, detail } = found
    return { failure: { reason, ...(detail === undefined ? {} : { detail }) } }
  },
})

export const consentMethods = [read] as const
