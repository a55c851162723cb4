import { ObjectPage } from "@/widgets/objects/object-page";
import { REGEXPS, useRegexp } from "./queries";
import { RegexpForm } from "./regexp-form";

export interface RegexpPageProps {
  readonly regexpid: string;
  readonly onDone: () => void;
}

export function RegexpPage({ regexpid, onDone }: RegexpPageProps) {
  return (
    <ObjectPage id={regexpid} audited="regexp" words={REGEXPS.words} query={useRegexp(regexpid)}>
      {(regexp) => <RegexpForm key={regexpid} regexp={regexp} onDone={onDone} />}
    </ObjectPage>
  );
}
