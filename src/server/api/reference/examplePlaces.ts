import { apiTemplate } from '../../config/apiEndpoint.js'
import type { Context } from '../../call/context.js'
import { EXAMPLE_USER, type ExamplePlaces } from './exampleCall.js'

/** Returns the base addresses of example calls on a node. */
export const examplePlacesOf = (node: Pick<Context, 'config' | 'publicBase'>): ExamplePlaces => ({
  node: node.publicBase(),
  account: apiTemplate(node).replace('{username}', EXAMPLE_USER).replace(/\/$/, ''),
})
