/** Bytes that went over connections with other nodes. */
export interface Traffic {
  sent: number
  received: number
}
