import { apiTemplate } from '../apiEndpoint.js'
import type { Node } from '../node.js'
import { EXAMPLE_USER, type ExamplePlaces } from './exampleCall.js'

/** Returns the base addresses of example calls on a node. */
export const examplePlacesOf = (node: Pick<Node, 'config' | 'publicBase'>): ExamplePlaces => ({
  node: node.publicBase(),
  account: apiTemplate(node).replace('{username}', EXAMPLE_USER).replace(/\/$/, ''),
})
