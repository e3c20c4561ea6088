import { main } from '../app/scan-child.ts'

main()
