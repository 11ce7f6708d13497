/** A process that announces a link on the loopback interface: `<link> <code> <port>`. Prints a line once it does; ends with stdin. */
import { Secret } from '../../../src/store/model/secret.js'
import { announce } from '../../../src/sync/nearby/announce.js'

const [link = '', code = '', port = ''] = process.argv.slice(2)
const announcing = await announce({ link, code: new Secret(code), nodePort: 3000, seconds: 60, interfaces: ['127.0.0.1'], port: Number(port) })
process.stdout.write('announced\n')
process.stdin.resume().on('end', () => void announcing.end())
