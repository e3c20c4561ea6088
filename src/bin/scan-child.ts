import { main } from '../app/threads/scan-child.ts'

main()
