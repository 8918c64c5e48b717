/// Where a control point's Next or Previous leads.
enum SkipDirection { case ahead, back }
