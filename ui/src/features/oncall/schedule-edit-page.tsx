import { browserZone } from "@/lib/zone";
import { ObjectPage } from "@/widgets/objects/object-page";
import { SCHEDULES, useSchedule } from "./queries";
import { ScheduleForm } from "./schedule-form";

export interface ScheduleEditPageProps {
  readonly oncallid: string;
  readonly serverZone: string | undefined;
  readonly onDone: () => void;
}

export function ScheduleEditPage({ oncallid, serverZone, onDone }: ScheduleEditPageProps) {
  return (
    <ObjectPage id={oncallid} words={SCHEDULES.words} query={useSchedule(oncallid)}>
      {(schedule) => (
        <ScheduleForm
          key={oncallid}
          schedule={schedule}
          serverZone={serverZone ?? browserZone()}
          onDone={onDone}
        />
      )}
    </ObjectPage>
  );
}
