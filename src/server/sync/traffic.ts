/** Counter of bytes on connections with other nodes. */
export interface Traffic {
  sent: number
  received: number
}
